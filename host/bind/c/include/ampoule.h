/* Ampoule for C: isolates for code that models write, in this process. docs/guides/c.md has examples.
 *
 * - Texts are UTF-8, and ended by a zero. Options, outcomes, events and faults are JSON.
 * - The caller owns what a function returns, and frees it with the function that its comment names. What you
 *   pass to a function stays yours; the function reads it before it returns.
 * - Any thread may call any function, several at once, unless its comment says otherwise.
 * - A function with `fault` sets it to NULL on success. On failure, it returns NULL and sets `fault` to the
 *   reason, as JSON: {"kind": "usage" | "busy" | "closed" | "host", "message": "..."}; of the kind `busy` also
 *   with `retryAfter`, in seconds. Free it with ampoule_string_free. `fault` may be NULL.
 * - NULL in place of any argument is safe: the function sets a fault, or does nothing.
 * - Nothing unwinds into C: a panic in the library is a fault of the kind `host`; in a function without `fault`,
 *   it ends the process with a message. Nothing may unwind out of a callback either.
 */

#ifndef AMPOULE_H
#define AMPOULE_H

/* Generated from host/bind/c/src by `BLESS=1 cargo nextest run --workspace -E 'package(ampoule-c)'`. */

#include <stdbool.h>
#include <stddef.h>

/**
 * A call that waits for its answer: ampoule_call_answer or ampoule_call_fail, once.
 */
typedef struct ampoule_call ampoule_call;

/**
 * An active run.
 */
typedef struct ampoule_run ampoule_run;

/**
 * A runtime, usually one in a process: the engine, the compiled guests, and the threads of runs.
 */
typedef struct ampoule_runtime ampoule_runtime;

/**
 * The tools of one server, for any number of runs.
 */
typedef struct ampoule_tools ampoule_tools;

/**
 * Carries out a call of `tool`, whose arguments are a JSON object that was checked against the
 * tool's schema. Both texts are there until it returns. It is called by threads of the runtime, or by
 * one that is in ampoule_runtime_run, by several at once; other runs wait while it does, so what
 * takes longer than a millisecond answers `call` later, from any thread.
 */
typedef void (*ampoule_callback)(void *context, const char *tool, const char *arguments, ampoule_call *call);

/**
 * Gets the context when no function will be called with it again.
 */
typedef void (*ampoule_release)(void *context);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * A runtime of options, a JSON object: `limits`, `ceilings`, `isolates`, `config`, `servers`,
 * `sessions` and more, as in docs/guides/c.md; `{}` for none. NULL, and a fault, if it can't be
 * made. To be freed by ampoule_runtime_free.
 *
 * What must hold: `options` is ended by a zero; `fault` is NULL, or can be written to.
 */
ampoule_runtime *ampoule_runtime_new(const char *options, char **fault);

/**
 * Runs a script to its end, and returns its outcome as JSON. `options` is a JSON object: `code`,
 * or `call` for one call without a script, and `language`, `grant`, `limits`, `env`, `session` and more, as in docs/guides/c.md. `tools` are so
 * many of its own, all of which it may call; NULL and 0 for none. To be freed by
 * ampoule_string_free. NULL, and a fault, if it has no outcome.
 *
 * What must hold: The runtime and the tools are not freed; `options` is ended by a zero; `fault` is NULL, or can be
 * written to.
 */
char *ampoule_runtime_run(const ampoule_runtime *runtime,
                          const char *options,
                          ampoule_tools *const *tools,
                          size_t tools_count,
                          char **fault);

/**
 * Starts a script, to listen to it and to cancel it: otherwise as ampoule_runtime_run. To be freed
 * by ampoule_run_free.
 *
 * What must hold: As for ampoule_runtime_run.
 */
ampoule_run *ampoule_runtime_start(const ampoule_runtime *runtime,
                                   const char *options,
                                   ampoule_tools *const *tools,
                                   size_t tools_count,
                                   char **fault);

/**
 * The declarations of tools in a language (`typescript`, `javascript`, `python`), for a model: of
 * `tools`, and of the `granted` tools of the runtime's servers, a JSON object: `grant`, such as
 * `github.get_*, time`, and the `principal` and `groups` that it is granted to; NULL for none of
 * these. To be freed by ampoule_string_free. NULL, and a fault, for an unknown language or server.
 *
 * What must hold: As for ampoule_runtime_run.
 */
char *ampoule_runtime_declarations(const ampoule_runtime *runtime,
                                   const char *language,
                                   const char *granted,
                                   ampoule_tools *const *tools,
                                   size_t tools_count,
                                   char **fault);

/**
 * Ends all runs, and releases threads and servers; waits for them a few seconds at most. Runs that
 * it ended have no outcome, but a fault of the kind `closed`.
 *
 * What must hold: The runtime is not freed.
 */
void ampoule_runtime_close(const ampoule_runtime *runtime);

/**
 * Frees a runtime. It lives until its last run is over; ampoule_runtime_close ends its runs.
 *
 * What must hold: It is NULL, or was made by ampoule_runtime_new, is freed once, and no other thread uses it.
 */
void ampoule_runtime_free(ampoule_runtime *runtime);

/**
 * The run's id, which is in each of its events. To be freed by ampoule_string_free.
 *
 * What must hold: The run is not freed.
 */
char *ampoule_run_id(const ampoule_run *run);

/**
 * Waits for the next event, and returns it as JSON; NULL once the run is over and all events have
 * been returned. Events are kept from the run's start; of more than a thousand, the oldest are
 * lost. To be freed by ampoule_string_free.
 *
 * What must hold: The run is not freed.
 */
char *ampoule_run_next_event(const ampoule_run *run);

/**
 * Waits until the run is over, and returns its outcome as JSON: once. To be freed by
 * ampoule_string_free. NULL, and a fault, if it has none.
 *
 * What must hold: The run is not freed; `fault` is NULL, or can be written to.
 */
char *ampoule_run_outcome(const ampoule_run *run, char **fault);

/**
 * Cancels the run: its outcome says `cancelled`, with its output and usage so far. A run that is
 * over stays as it is.
 *
 * What must hold: The run is not freed.
 */
void ampoule_run_cancel(const ampoule_run *run);

/**
 * Frees a run, and cancels it if it is not over.
 *
 * What must hold: It is NULL, or was started here, is freed once, and no other thread waits for it.
 */
void ampoule_run_free(ampoule_run *run);

/**
 * Tools that scripts call as `server.tool`, by a function that gets `context` back. `tools` is a
 * JSON array as MCP has it: each with `name`, `description`, `inputSchema`, and `outputSchema` if it
 * promises one. `release`, unless it is NULL, is called with the context when the tools are freed
 * and no run uses them, by whichever thread was the last; or at once, where there is a
 * fault. To be freed by ampoule_tools_free.
 *
 * What must hold: The texts are ended by zeros; the functions do as their types say, and may be called by any
 * thread; `fault` is NULL, or can be written to.
 */
ampoule_tools *ampoule_tools_new(const char *server,
                                 const char *tools,
                                 ampoule_callback callback,
                                 void *context,
                                 ampoule_release release,
                                 char **fault);

/**
 * Frees tools. Runs that have them keep them.
 *
 * What must hold: They are NULL, or were made by ampoule_tools_new, and are freed once.
 */
void ampoule_tools_free(ampoule_tools *tools);

/**
 * Answers a call with a JSON value. The call is gone after that.
 *
 * What must hold: The call has not been answered; `json` is ended by a zero.
 */
void ampoule_call_answer(ampoule_call *call, const char *json);

/**
 * Answers a call with a failure: the script catches a ToolError with this message. The call is gone
 * after that.
 *
 * What must hold: The call has not been answered; `message` is ended by a zero.
 */
void ampoule_call_fail(ampoule_call *call, const char *message);

/**
 * Whether the call was cancelled: the run ended, or its script cancelled the call. It must be
 * answered nevertheless.
 *
 * What must hold: The call has not been answered.
 */
bool ampoule_call_is_cancelled(const ampoule_call *call);

/**
 * The version of this library. It is valid for ever.
 */
const char *ampoule_version(void);

/**
 * Frees a text that a function here returned. NULL does nothing.
 *
 * What must hold: It was given by a function of this library, and is freed once.
 */
void ampoule_string_free(char *text);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* AMPOULE_H */
