/* QuickJS's stack check compares __builtin_frame_address(0) with a limit. WebAssembly has no frame address: Clang gives one that
 * is not on the stack. Included before each of QuickJS's files, this makes the check see the stack in linear memory instead. */
#ifndef AMPOULE_STACK_POINTER_H
#define AMPOULE_STACK_POINTER_H

static inline __attribute__((always_inline)) void *ampoule_stack_pointer(void)
{
    void *pointer;
    __asm__ volatile(".globaltype __stack_pointer, i32\n"
                     "global.get __stack_pointer\n"
                     "local.set %0"
                     : "=r"(pointer));
    return pointer;
}

#define __builtin_frame_address(level) ampoule_stack_pointer()

#endif
