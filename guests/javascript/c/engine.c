/* The engine, and what this guest does faster than it: JSON, and promises of calls.
 *
 * QuickJS-NG is included rather than linked with, since what is here uses its shapes, strings
 * and objects as they lie in memory, which are no part of its interface. `build.rs` compiles
 * this file in the place of `quickjs.c`, of exactly the version that it was written for, with the
 * changes of `changes`. What is relied on is said in the files below, where it is used. */
#ifndef NDEBUG
#error "With assertions, the engine lists all strings; those that are made here are not there."
#endif

/* What `build.rs` makes the engine's parser look at. */
#include <stdbool.h>
static _Thread_local bool ampoule_may_return;

#include "quickjs.c"

#include "bytes.h"
#include "reader.h"
#include "read_text.c"
#include "read.c"
#include "writer.h"
#include "write_text.c"
#include "write.c"
#include "json.c"
#include "promise.c"
#include "session.c"
