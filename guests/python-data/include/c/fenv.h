/*
 * Floating-point flags. WebAssembly has none, and so the C library has none either. These are kept by
 * `flags.c`: numpy raises them itself, where it looks for what went wrong.
 */
#ifndef AMPOULE_FENV_H
#define AMPOULE_FENV_H

#ifdef __cplusplus
extern "C" {
#endif

#define FE_INVALID 1
#define FE_DIVBYZERO 4
#define FE_OVERFLOW 8
#define FE_UNDERFLOW 16
#define FE_INEXACT 32
#define FE_ALL_EXCEPT (FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INEXACT)
#define FE_TONEAREST 0

typedef unsigned long fexcept_t;
typedef struct {
    unsigned long __cw;
} fenv_t;
#define FE_DFL_ENV ((const fenv_t *)-1)

/* The C library's own, which do nothing, have the usual names. */
#define feclearexcept ampoule_feclearexcept
#define fegetexceptflag ampoule_fegetexceptflag
#define feraiseexcept ampoule_feraiseexcept
#define fesetexceptflag ampoule_fesetexceptflag
#define fetestexcept ampoule_fetestexcept
#define fegetround ampoule_fegetround
#define fesetround ampoule_fesetround
#define fegetenv ampoule_fegetenv
#define feholdexcept ampoule_feholdexcept
#define fesetenv ampoule_fesetenv
#define feupdateenv ampoule_feupdateenv

int feclearexcept(int);
int fegetexceptflag(fexcept_t *, int);
int feraiseexcept(int);
int fesetexceptflag(const fexcept_t *, int);
int fetestexcept(int);

int fegetround(void);
int fesetround(int);

int fegetenv(fenv_t *);
int feholdexcept(fenv_t *);
int fesetenv(const fenv_t *);
int feupdateenv(const fenv_t *);

#ifdef __cplusplus
}
#endif

#endif
