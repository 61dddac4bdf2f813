/* Runs a script with a runtime of an `ampoule.toml`: `configured RUNTIME RUN`, the options of both, as JSON. Prints the
 * outcome, or the fault. */
#include <ampoule.h>
#include <stdio.h>

int main(int count, char **arguments) {
    char *fault = NULL;
    char *outcome = NULL;
    ampoule_runtime *runtime;
    if (count != 3) {
        fprintf(stderr, "configured RUNTIME RUN\n");
        return 2;
    }
    runtime = ampoule_runtime_new(arguments[1], &fault);
    if (runtime != NULL) {
        outcome = ampoule_runtime_run(runtime, arguments[2], NULL, 0, &fault);
    }
    printf("%s\n", outcome != NULL ? outcome : fault);
    ampoule_string_free(outcome);
    ampoule_string_free(fault);
    ampoule_runtime_close(runtime);
    ampoule_runtime_free(runtime);
    return outcome == NULL;
}
