/*
 * C++ is compiled without exceptions. What throws, such as `new` without memory, ends the run: it traps.
 */
#include <stddef.h>

void *__cxa_allocate_exception(size_t bytes)
{
    (void)bytes;
    __builtin_trap();
}

void __cxa_throw(void *thrown, void *type, void (*destroy)(void *))
{
    (void)thrown;
    (void)type;
    (void)destroy;
    __builtin_trap();
}
