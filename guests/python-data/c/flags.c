/*
 * Floating-point flags, which `include/c/fenv.h` declares. WebAssembly rounds to the nearest number, and
 * has no other way.
 */
#include <fenv.h>

static int raised;

int feclearexcept(int flags)
{
    raised &= ~(flags & FE_ALL_EXCEPT);
    return 0;
}

int feraiseexcept(int flags)
{
    raised |= flags & FE_ALL_EXCEPT;
    return 0;
}

int fetestexcept(int flags)
{
    return raised & flags;
}

int fegetexceptflag(fexcept_t *to, int flags)
{
    *to = raised & flags;
    return 0;
}

int fesetexceptflag(const fexcept_t *from, int flags)
{
    raised = (raised & ~flags) | (*from & flags & FE_ALL_EXCEPT);
    return 0;
}

int fegetround(void)
{
    return FE_TONEAREST;
}

int fesetround(int direction)
{
    return direction == FE_TONEAREST ? 0 : -1;
}

int fegetenv(fenv_t *to)
{
    to->__cw = raised;
    return 0;
}

int fesetenv(const fenv_t *from)
{
    raised = from == FE_DFL_ENV ? 0 : from->__cw & FE_ALL_EXCEPT;
    return 0;
}

int feholdexcept(fenv_t *to)
{
    fegetenv(to);
    raised = 0;
    return 0;
}

int feupdateenv(const fenv_t *from)
{
    int now = raised;
    fesetenv(from);
    raised |= now;
    return 0;
}
