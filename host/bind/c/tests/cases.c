/* What becomes of processes, memory and mistakes: `cases NAME [COUNT]` runs one of the cases below, which ends the process with
 * 0 if all is as it is to be. */
#define _DEFAULT_SOURCE

#include <ampoule.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Holds, or ends the process with where it does not. */
#define HOLDS(what)                                                                                                    \
    do {                                                                                                               \
        if (!(what)) {                                                                                                 \
            fprintf(stderr, "%s:%d: this does not hold: %s\n", __FILE__, __LINE__, #what);                             \
            _exit(1);                                                                                                  \
        }                                                                                                              \
    } while (0)

static const char TOOLS[] = "[{\"name\":\"f\",\"inputSchema\":{\"type\":\"object\"}},"
                            "{\"name\":\"never\",\"inputSchema\":{\"type\":\"object\"}}]";

static ampoule_runtime *runtime_of(const char *options) {
    char *fault = NULL;
    ampoule_runtime *runtime = ampoule_runtime_new(options, &fault);
    if (runtime == NULL) {
        fprintf(stderr, "%s\n", fault);
        _exit(1);
    }
    return runtime;
}

/* Whether a text has a part; frees it. */
static bool has(char *text, const char *part) {
    bool found = text != NULL && strstr(text, part) != NULL;
    if (!found) {
        fprintf(stderr, "%s\n", text == NULL ? "NULL" : text);
    }
    ampoule_string_free(text);
    return found;
}

/* Whether a script's outcome has a part. */
static bool gives(const ampoule_runtime *runtime, const char *options, ampoule_tools *tools, const char *part) {
    char *fault = NULL;
    char *outcome = ampoule_runtime_run(runtime, options, &tools, tools == NULL ? 0 : 1, &fault);
    ampoule_string_free(fault);
    return has(outcome, part);
}

/* Answers `f`, and lets nobody hear of `never`; counts both. */
static void answer(void *context, const char *tool, const char *arguments, ampoule_call *call) {
    (void)arguments;
    atomic_fetch_add((atomic_int *)context, 1);
    if (strcmp(tool, "f") == 0) {
        ampoule_call_answer(call, "{\"n\":1}");
    }
}

/* Notes that a count is let go of. */
static void released(void *context) { atomic_fetch_add((atomic_int *)context, 1000); }

static atomic_int calls;

static ampoule_tools *tools_of(void) { return ampoule_tools_new("host", TOOLS, answer, &calls, NULL, NULL); }

/* Runs that never end: one that computes, one that waits for a tool, one that waits for time. */
static void begin_runs(const ampoule_runtime *runtime, ampoule_tools *tools) {
    static const char *const ENDLESS[] = {
        "{\"language\":\"js\",\"limits\":{\"fuel\":1e15},\"code\":\"for (;;) {}\"}",
        "{\"language\":\"js\",\"code\":\"await host.never()\"}",
        "{\"language\":\"js\",\"code\":\"await new Promise((f) => setTimeout(f, 60_000))\"}",
    };
    for (size_t n = 0; n < sizeof ENDLESS / sizeof *ENDLESS; n++) {
        HOLDS(ampoule_runtime_start(runtime, ENDLESS[n], &tools, 1, NULL) != NULL);
    }
    while (atomic_load(&calls) == 0) {
        usleep(1000);
    }
}

/* The process ends by the end of `main`. */
static void returns_with_runs_under_way(long count) {
    (void)count;
    begin_runs(runtime_of("{\"ceilings\":{\"fuel\":1e15}}"), tools_of());
}

/* It has let go of what it has before. */
static void frees_with_runs_under_way(long count) {
    (void)count;
    ampoule_runtime *runtime = runtime_of("{\"ceilings\":{\"fuel\":1e15}}");
    ampoule_tools *tools = tools_of();
    begin_runs(runtime, tools);
    ampoule_tools_free(tools);
    ampoule_runtime_free(runtime);
}

static void closes_with_runs_under_way(long count) {
    (void)count;
    ampoule_runtime *runtime = runtime_of("{\"ceilings\":{\"fuel\":1e15}}");
    ampoule_tools *tools = tools_of();
    char *fault = NULL;
    ampoule_run *run = ampoule_runtime_start(runtime, "{\"code\":\"await host.never()\",\"language\":\"js\"}", &tools, 1, NULL);
    begin_runs(runtime, tools);
    ampoule_tools_free(tools);
    ampoule_runtime_close(runtime);
    HOLDS(ampoule_run_outcome(run, &fault) == NULL && has(fault, "\"kind\":\"closed\""));
    ampoule_run_free(run);
    HOLDS(ampoule_runtime_run(runtime, "{\"code\":\"1\"}", NULL, 0, &fault) == NULL);
    HOLDS(has(fault, "the runtime was closed"));
    ampoule_runtime_close(runtime);
    ampoule_runtime_free(runtime);
}

static void *run_endless(void *runtime) {
    static const char OPTIONS[] = "{\"code\":\"await new Promise((f) => setTimeout(f, 60_000))\",\"language\":\"js\"}";
    return ampoule_runtime_run((const ampoule_runtime *)runtime, OPTIONS, NULL, 0, NULL);
}

/* Another thread waits in a run. */
static void exits_while_a_thread_waits(long count) {
    (void)count;
    pthread_t thread;
    HOLDS(pthread_create(&thread, NULL, run_endless, runtime_of("{}")) == 0);
    usleep(200000);
    exit(0);
}

/* What a child process can't use a runtime for: it gets an error that says so. */
static void fork_says_what_it_lacks(long count) {
    (void)count;
    static const char SAID[] = "this process was forked from one with an Ampoule runtime";
    ampoule_runtime *runtime = runtime_of("{}");
    ampoule_tools *tools = tools_of();
    char *fault = NULL;
    int status = -1;
    HOLDS(gives(runtime, "{\"code\":\"return 1\"}", NULL, "\"value\":1"));
    ampoule_run *run = ampoule_runtime_start(runtime, "{\"code\":\"await host.never()\",\"language\":\"js\"}", &tools, 1, NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(20);
        HOLDS(ampoule_runtime_run(runtime, "{\"code\":\"return 1\"}", NULL, 0, &fault) == NULL && has(fault, SAID));
        HOLDS(ampoule_runtime_start(runtime, "{\"code\":\"return 1\"}", NULL, 0, &fault) == NULL && has(fault, SAID));
        HOLDS(ampoule_runtime_declarations(runtime, "python", NULL, &tools, 1, &fault) == NULL && has(fault, SAID));
        HOLDS(ampoule_run_outcome(run, &fault) == NULL && has(fault, SAID));
        HOLDS(ampoule_run_next_event(run) == NULL);
        HOLDS(ampoule_runtime_new("{}", &fault) == NULL && has(fault, SAID));
        ampoule_run_free(run);
        ampoule_tools_free(tools);
        ampoule_runtime_close(runtime);
        ampoule_runtime_free(runtime);
        exit(0);
    }
    HOLDS(waitpid(child, &status, 0) == child && status == 0);
    HOLDS(gives(runtime, "{\"code\":\"return 2\"}", NULL, "\"value\":2"));
    ampoule_run_free(run);
    ampoule_tools_free(tools);
    ampoule_runtime_close(runtime);
    ampoule_runtime_free(runtime);
}

static void fork_may_come_first(long count) {
    (void)count;
    int status = -1;
    pid_t child = fork();
    ampoule_runtime *runtime = runtime_of("{}");
    HOLDS(gives(runtime, "{\"code\":\"return 3\"}", NULL, "\"value\":3"));
    ampoule_runtime_close(runtime);
    ampoule_runtime_free(runtime);
    if (child == 0) {
        exit(0);
    }
    HOLDS(waitpid(child, &status, 0) == child && status == 0);
}

/* Each has limits of its own, and the same tools; one goes on when the other is closed. */
static void two_runtimes(long count) {
    (void)count;
    ampoule_runtime *small = runtime_of("{\"limits\":{\"calls\":1}}");
    ampoule_runtime *large = runtime_of("{\"limits\":{\"calls\":5}}");
    static atomic_int seen;
    ampoule_tools *tools = ampoule_tools_new("host", TOOLS, answer, &seen, released, NULL);
    static const char TWICE[] = "{\"code\":\"await host.f(); return (await host.f()).n\",\"language\":\"js\"}";
    HOLDS(gives(small, TWICE, tools, "\"limit\":\"calls\""));
    HOLDS(gives(large, TWICE, tools, "\"value\":1"));
    ampoule_runtime_close(small);
    ampoule_runtime_free(small);
    HOLDS(gives(large, TWICE, tools, "\"value\":1"));
    HOLDS(atomic_load(&seen) == 5);
    /* A run that has the tools keeps them; when it is over, and they are freed, the context is let go of: once. */
    ampoule_run *run = ampoule_runtime_start(large, "{\"code\":\"await host.never()\",\"language\":\"js\"}", &tools, 1, NULL);
    while (atomic_load(&seen) == 5) {
        usleep(1000);
    }
    ampoule_tools_free(tools);
    HOLDS(atomic_load(&seen) == 6);
    ampoule_run_cancel(run);
    HOLDS(has(ampoule_run_outcome(run, NULL), "\"ending\":\"cancelled\""));
    ampoule_run_free(run);
    ampoule_runtime_close(large);
    ampoule_runtime_free(large);
    for (int waited = 0; waited < 5000 && atomic_load(&seen) == 6; waited++) {
        usleep(1000);
    }
    HOLDS(atomic_load(&seen) == 1006);
}

/* One call is a run of its own. */
static void one_call(long count) {
    (void)count;
    ampoule_runtime *runtime = runtime_of("{}");
    ampoule_tools *tools = tools_of();
    HOLDS(gives(runtime, "{\"call\":{\"server\":\"host\",\"tool\":\"f\"}}", tools, "\"value\":{\"n\":1}"));
    HOLDS(gives(runtime, "{\"call\":{\"server\":\"host\",\"tool\":\"f\",\"arguments\":{\"a\":1}}}", tools, "\"language\":\"call\""));
    HOLDS(gives(runtime, "{\"call\":{\"server\":\"host\",\"tool\":\"g\"}}", tools, "\"ending\":\"threw\""));
    char *fault = NULL;
    HOLDS(ampoule_runtime_run(runtime, "{\"call\":{\"server\":\"host\",\"tool\":\"f\"},\"code\":\"1\"}", &tools, 1, &fault) == NULL);
    HOLDS(has(fault, "`code` is an option of scripts"));
    ampoule_tools_free(tools);
    ampoule_runtime_close(runtime);
    ampoule_runtime_free(runtime);
}

/* Whatever is wrong is a fault, in a sentence. */
static void mistakes(long count) {
    (void)count;
    char *fault = NULL;
    static atomic_int let_go;
    HOLDS(strlen(ampoule_version()) >= 5);
    HOLDS(ampoule_runtime_new(NULL, &fault) == NULL && has(fault, "`options` is NULL"));
    HOLDS(ampoule_runtime_new("{", &fault) == NULL && has(fault, "\"kind\":\"usage\""));
    HOLDS(ampoule_runtime_new("{\"limits\":{\"time\":1}}", &fault) == NULL && has(fault, "unknown limit `time`"));
    HOLDS(ampoule_runtime_new("{\"isolate\":1}", NULL) == NULL);
    HOLDS(ampoule_tools_new("host", TOOLS, NULL, NULL, NULL, &fault) == NULL && has(fault, "`callback` is NULL"));
    HOLDS(ampoule_tools_new("host", "[{}]", answer, &let_go, released, &fault) == NULL && has(fault, "the tools of `host`"));
    HOLDS(atomic_load(&let_go) == 1000);
    HOLDS(ampoule_runtime_run(NULL, "{}", NULL, 0, &fault) == NULL && has(fault, "`runtime` is NULL"));
    HOLDS(ampoule_run_outcome(NULL, &fault) == NULL && has(fault, "`run` is NULL"));
    HOLDS(ampoule_run_next_event(NULL) == NULL && ampoule_run_id(NULL) == NULL);
    ampoule_run_cancel(NULL);
    ampoule_runtime_close(NULL);

    ampoule_runtime *runtime = runtime_of("{}");
    ampoule_tools *tools = tools_of(), *none = NULL;
    HOLDS(ampoule_runtime_run(runtime, "\"\xff\"", NULL, 0, &fault) == NULL && has(fault, "`options` is not UTF-8"));
    HOLDS(ampoule_runtime_run(runtime, "{\"code\":\"\"}", NULL, 1, &fault) == NULL && has(fault, "`tools` is NULL"));
    HOLDS(ampoule_runtime_run(runtime, "{\"code\":\"\"}", &none, 1, &fault) == NULL && has(fault, "one of `tools` is NULL"));
    HOLDS(ampoule_runtime_run(runtime, "{\"cod\":\"\"}", NULL, 0, &fault) == NULL && has(fault, "`options.cod` is not a known key"));
    HOLDS(ampoule_runtime_declarations(runtime, "ruby", NULL, &tools, 1, &fault) == NULL && has(fault, "unknown language `ruby`"));
    HOLDS(has(ampoule_runtime_declarations(runtime, "typescript", NULL, &tools, 1, &fault), "never("));
    HOLDS(fault == NULL);

    ampoule_run *run = ampoule_runtime_start(runtime, "{\"code\":\"return 1\"}", NULL, 0, &fault);
    HOLDS(has(ampoule_run_id(run), "-") && has(ampoule_run_outcome(run, &fault), "\"value\":1"));
    HOLDS(ampoule_run_outcome(run, &fault) == NULL && has(fault, "the run's outcome was taken before"));
    ampoule_run_free(run);
    ampoule_tools_free(tools);
    ampoule_runtime_close(runtime);
    ampoule_runtime_free(runtime);
    ampoule_runtime_free(NULL);
    ampoule_tools_free(NULL);
    ampoule_run_free(NULL);
    ampoule_string_free(NULL);
}

/* A configuration says who may do what: groups count, and calls do. */
static void configuration_governs(long count) {
    (void)count;
    FILE *file = fopen("ampoule.toml", "w");
    HOLDS(file != NULL);
    fputs("[skills]\n[roles.operators]\ngroups = [\"ops\"]\ntools = [\"skills\"]\n"
          "[quotas.few]\ncalls-per-day = 2\n[audit]\n",
          file);
    fclose(file);
    ampoule_runtime *runtime = runtime_of("{\"config\":\"ampoule.toml\"}");
    ampoule_tools *tools = tools_of();
    char *fault = NULL;
    static const char OPS[] = "{\"code\":\"return (await tools.skills.list({})).length\",\"language\":\"js\",\"grant\":\"*\","
                              "\"principal\":\"ada\",\"groups\":[\"ops\"]}";
    static const char DEV[] = "{\"code\":\"return (await tools.skills.list({})).length\",\"language\":\"js\",\"grant\":\"*\","
                              "\"principal\":\"ada\",\"groups\":[\"dev\"]}";
    HOLDS(gives(runtime, OPS, NULL, "\"value\":0"));
    HOLDS(gives(runtime, DEV, NULL, "{\"ending\":\"threw\""));
    static const char GRANTED[] = "{\"grant\":\"*\",\"principal\":\"ada\",\"groups\":[\"ops\"]}";
    HOLDS(has(ampoule_runtime_declarations(runtime, "typescript", GRANTED, NULL, 0, &fault), "save("));
    HOLDS(ampoule_runtime_declarations(runtime, "typescript", "{\"grants\":1}", NULL, 0, &fault) == NULL &&
          has(fault, "`options.grants` is not a known key"));

    static const char CALLS[] = "{\"code\":\"return (await host.f()).n\",\"language\":\"js\",\"principal\":\"grace\"}";
    HOLDS(gives(runtime, CALLS, tools, "\"value\":1") && gives(runtime, CALLS, tools, "\"value\":1"));
    HOLDS(gives(runtime, CALLS, tools, "`few`"));
    ampoule_tools_free(tools);
    ampoule_runtime_close(runtime);
    ampoule_runtime_free(runtime);
}

/* A tool that runs a script itself, in both ways, on the thread that it is called by. */
static void nested(void *context, const char *tool, const char *arguments, ampoule_call *call) {
    const ampoule_runtime *runtime = (const ampoule_runtime *)context;
    static const char INNER[] = "{\"code\":\"console.log('in'); return 20\",\"language\":\"js\"}";
    (void)arguments;
    if (strcmp(tool, "f") == 0) {
        ampoule_call_answer(call, gives(runtime, INNER, NULL, "\"value\":20") ? "{\"n\":1}" : "{\"n\":0}");
        return;
    }
    ampoule_run *run = ampoule_runtime_start(runtime, INNER, NULL, 0, NULL);
    char *event;
    int events = 0;
    while ((event = ampoule_run_next_event(run)) != NULL) {
        ampoule_string_free(event);
        events++;
    }
    HOLDS(events >= 1 && has(ampoule_run_outcome(run, NULL), "\"value\":20"));
    ampoule_run_free(run);
    ampoule_call_answer(call, "{\"n\":2}");
}

static void a_tool_runs_scripts(long count) {
    (void)count;
    ampoule_runtime *runtime = runtime_of("{}");
    ampoule_tools *tools = ampoule_tools_new("host", TOOLS, nested, runtime, NULL, NULL);
    static const char BOTH[] = "{\"language\":\"js\",\"code\":\"const [a, b] = await Promise.all([host.f(), host.never()]); return a.n + b.n\"}";
    for (int n = 0; n < 20; n++) {
        HOLDS(gives(runtime, BOTH, tools, "\"value\":3"));
        ampoule_run *run = ampoule_runtime_start(runtime, BOTH, &tools, 1, NULL);
        HOLDS(has(ampoule_run_outcome(run, NULL), "\"value\":3"));
        ampoule_run_free(run);
    }
    ampoule_tools_free(tools);
    ampoule_runtime_close(runtime);
    ampoule_runtime_free(runtime);
}

/* Resident memory without files, in KiB. */
static long memory(void) {
    char line[256];
    long kib = -1;
    FILE *status = fopen("/proc/self/status", "r");
    while (status != NULL && kib < 0 && fgets(line, sizeof line, status) != NULL) {
        sscanf(line, "RssAnon: %ld", &kib);
    }
    HOLDS(kib > 0 && fclose(status) == 0);
    return kib;
}

/* Prints how much memory there is after a tenth of that many runs, and after all of them, in KiB. */
static void many_runs(long count) {
    ampoule_runtime *runtime = runtime_of("{}");
    ampoule_tools *tools = tools_of();
    static const char CALLS[] = "{\"code\":\"console.log('a'); return (await host.f()).n\",\"language\":\"js\"}";
    long early = 0;
    for (long n = 0; n < count; n++) {
        if (n == count / 10) {
            early = memory();
        }
        switch (n % 3) {
        case 0:
            HOLDS(gives(runtime, CALLS, tools, "\"value\":1"));
            break;
        case 1: {
            ampoule_run *run = ampoule_runtime_start(runtime, CALLS, &tools, 1, NULL);
            HOLDS(has(ampoule_run_next_event(run), "\"run\":") && has(ampoule_run_outcome(run, NULL), "\"value\":1"));
            ampoule_run_free(run);
            break;
        }
        default: {
            /* The caller does not wait for it, and its tools are its own. */
            ampoule_tools *own = tools_of();
            ampoule_run *run = ampoule_runtime_start(runtime, CALLS, &own, 1, NULL);
            ampoule_tools_free(own);
            ampoule_run_free(run);
        }
        }
    }
    printf("%ld %ld\n", early, memory());
    ampoule_tools_free(tools);
    ampoule_runtime_close(runtime);
    ampoule_runtime_free(runtime);
}

/* What is for the person is in the outcome, also where the script throws. */
static void values_for_the_person(long count) {
    (void)count;
    ampoule_runtime *runtime = runtime_of("{}");
    ampoule_tools *tools = tools_of();
    static const char WHOLE[] = "{\"language\":\"js\",\"code\":\"emit('a', [1]); return (await whole(host.f)).structuredContent\"}";
    HOLDS(gives(runtime, WHOLE, tools, "\"emitted\":[\"a\",[1]]"));
    HOLDS(gives(runtime, WHOLE, tools, "\"value\":{\"n\":1}"));
    HOLDS(gives(runtime, "{\"language\":\"js\",\"code\":\"emit('a'); throw new Error('b')\"}", NULL, "\"emitted\":[\"a\"]"));
    ampoule_tools_free(tools);
    ampoule_runtime_close(runtime);
    ampoule_runtime_free(runtime);
}

static const struct {
    const char *name;
    void (*run)(long count);
} CASES[] = {
    {"returns-with-runs-under-way", returns_with_runs_under_way},
    {"frees-with-runs-under-way", frees_with_runs_under_way},
    {"closes-with-runs-under-way", closes_with_runs_under_way},
    {"exits-while-a-thread-waits", exits_while_a_thread_waits},
    {"fork-says-what-it-lacks", fork_says_what_it_lacks},
    {"fork-may-come-first", fork_may_come_first},
    {"two-runtimes", two_runtimes},
    {"one-call", one_call},
    {"values-for-the-person", values_for_the_person},
    {"mistakes", mistakes},
    {"configuration-governs", configuration_governs},
    {"a-tool-runs-scripts", a_tool_runs_scripts},
    {"many-runs", many_runs},
};

int main(int count, char **arguments) {
    const char *name = count > 1 ? arguments[1] : "";
    for (size_t n = 0; n < sizeof CASES / sizeof *CASES; n++) {
        if (strcmp(CASES[n].name, name) == 0) {
            CASES[n].run(count > 2 ? atol(arguments[2]) : 0);
            return 0;
        }
    }
    fprintf(stderr, "cases: there is no case `%s`\n", name);
    return 2;
}
