/* Brings the programs of tests/bindings to their ends: `programs tools.json`. Each request is two lines on standard input,
 * how it is to be run and its options, and is answered by a line on standard output, its outcome or its fault. Ways to run it:
 *
 * - `run`: to its end
 * - `start`: the same, by ampoule_runtime_start
 * - anything else: by ampoule_runtime_start, and cancelled by the first event that has this text
 */
#define _POSIX_C_SOURCE 200809L

#include <ampoule.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Tells what is wrong, and ends. */
static void fail(const char *what) {
    fprintf(stderr, "programs: %s\n", what);
    exit(2);
}

static char *copied(const char *text, size_t length) {
    char *copy = (char *)malloc(length + 1);
    if (copy == NULL) {
        fail("no memory");
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

/* Behind the JSON text that begins here. */
static const char *behind_text(const char *at) {
    for (at++; *at != '"'; at++) {
        if (*at == '\\') {
            at++;
        }
    }
    return at + 1;
}

/* Behind the JSON value that begins here. */
static const char *behind_value(const char *at) {
    int depth = 0;
    do {
        if (*at == '"') {
            at = behind_text(at);
        } else {
            depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
            at++;
        }
    } while (depth > 0 || strchr(",}]", *at) == NULL);
    return at;
}

/* A member of an object as JSON; it must be there. Objects come from Ampoule: they are valid, and have no spaces. */
static char *member(const char *object, const char *name) {
    const char *at = object;
    while (*at == '{' || *at == ',') {
        const char *key = at + 2;
        const char *behind_key = behind_text(at + 1);
        const char *value = behind_key + 1;
        at = behind_value(value);
        size_t length = (size_t)(behind_key - key) - 1;
        if (length == strlen(name) && strncmp(key, name, length) == 0) {
            return copied(value, (size_t)(at - value));
        }
    }
    fail("an argument is missing");
    return NULL;
}

static double number(const char *object, const char *name) {
    char *json = member(object, name);
    double number = strtod(json, NULL);
    free(json);
    return number;
}

/* What a JSON text says. Ampoule escapes quotes, backslashes and control characters alone. */
static char *said(const char *object, const char *name) {
    static const char ESCAPED[] = "nrtbf", MEANT[] = "\n\r\t\b\f";
    char *json = member(object, name);
    char *to = json;
    for (const char *at = json + 1; *at != '"'; at++) {
        if (*at != '\\') {
            *to++ = *at;
            continue;
        }
        const char *escaped = strchr(ESCAPED, *++at);
        if (*at == 'u') {
            char digits[5] = {at[1], at[2], at[3], at[4], '\0'};
            *to++ = (char)strtol(digits, NULL, 16);
            at += 4;
        } else {
            *to++ = escaped == NULL ? *at : MEANT[escaped - ESCAPED];
        }
    }
    *to = '\0';
    return json;
}

static void wait_for(double millis) {
    struct timespec time = {(time_t)(millis / 1000), (long)(millis * 1e6) % 1000000000L};
    nanosleep(&time, NULL);
}

typedef struct {
    double millis;
    ampoule_call *call;
} slept;

/* Answers after a while, or as soon as the call is cancelled. */
static void *sleeping(void *given) {
    slept *sleep = (slept *)given;
    while (sleep->millis > 0 && !ampoule_call_is_cancelled(sleep->call)) {
        double step = sleep->millis < 2 ? sleep->millis : 2;
        wait_for(step);
        sleep->millis -= step;
    }
    ampoule_call_answer(sleep->call, "null");
    free(sleep);
    return NULL;
}

static void begin_to_sleep(double millis, ampoule_call *call) {
    slept *sleep = (slept *)malloc(sizeof *sleep);
    pthread_t thread;
    if (sleep == NULL) {
        fail("no memory");
    }
    sleep->millis = millis;
    sleep->call = call;
    if (pthread_create(&thread, NULL, sleeping, sleep) != 0) {
        fail("no thread");
    }
    pthread_detach(thread);
}

static void carry_out(void *context, const char *tool, const char *arguments, ampoule_call *call) {
    (void)context;
    if (strcmp(tool, "add") == 0) {
        char sum[64];
        snprintf(sum, sizeof sum, "{\"sum\":%.17g}", number(arguments, "a") + number(arguments, "b"));
        ampoule_call_answer(call, sum);
    } else if (strcmp(tool, "echo") == 0) {
        char *value = member(arguments, "value");
        ampoule_call_answer(call, value);
        free(value);
    } else if (strcmp(tool, "sleep") == 0) {
        begin_to_sleep(number(arguments, "ms"), call);
    } else if (strcmp(tool, "block") == 0) {
        wait_for(number(arguments, "ms"));
        ampoule_call_answer(call, "null");
    } else {
        char *message = said(arguments, "message");
        ampoule_call_fail(call, message);
        free(message);
    }
}

/* The whole of a file. */
static char *read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t room = 0;
    if (file == NULL || getdelim(&text, &room, '\0', file) < 0) {
        fail("the tools can't be read");
    }
    fclose(file);
    return text;
}

/* A line without its end; false at the end of the input. */
static bool read_line(char **line, size_t *room) {
    ssize_t length = getline(line, room, stdin);
    if (length > 0 && (*line)[length - 1] == '\n') {
        (*line)[length - 1] = '\0';
    }
    return length > 0;
}

/* Listens to a run until it is over, and cancels it by the first event that has a text, if there is one. */
static void listen_to(ampoule_run *run, const char *cancelled_by) {
    char *event;
    while ((event = ampoule_run_next_event(run)) != NULL) {
        if (cancelled_by != NULL && strstr(event, cancelled_by) != NULL) {
            ampoule_run_cancel(run);
        }
        ampoule_string_free(event);
    }
}

int main(int count, char **arguments) {
    char *fault = NULL;
    char *way = NULL, *options = NULL;
    size_t room_of_way = 0, room_of_options = 0;
    if (count != 2) {
        fail("usage: programs TOOLS");
    }
    char *described = read_file(arguments[1]);
    ampoule_runtime *runtime = ampoule_runtime_new("{}", &fault);
    ampoule_tools *tools = runtime == NULL ? NULL : ampoule_tools_new("host", described, carry_out, NULL, NULL, &fault);
    free(described);
    if (tools == NULL) {
        fail(fault);
    }
    while (read_line(&way, &room_of_way) && read_line(&options, &room_of_options)) {
        char *outcome = NULL;
        if (strcmp(way, "run") == 0) {
            outcome = ampoule_runtime_run(runtime, options, &tools, 1, &fault);
        } else {
            ampoule_run *run = ampoule_runtime_start(runtime, options, &tools, 1, &fault);
            if (run != NULL) {
                listen_to(run, strcmp(way, "start") == 0 ? NULL : way);
                outcome = ampoule_run_outcome(run, &fault);
                ampoule_run_free(run);
            }
        }
        printf("%s\n", outcome != NULL ? outcome : fault);
        fflush(stdout);
        ampoule_string_free(outcome);
        ampoule_string_free(fault);
    }
    free(way);
    free(options);
    ampoule_tools_free(tools);
    ampoule_runtime_close(runtime);
    ampoule_runtime_free(runtime);
    return 0;
}
