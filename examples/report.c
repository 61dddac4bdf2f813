/* A script as a model writes them, in a program in C: two tools, one of which answers at once, and one later, from another
 * thread. It prints what the script printed and returned, and what is wrong with a second one.
 *
 * docs/c.md says how it is compiled. */
#include <ampoule.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What scripts may call, in the form in which MCP describes tools. */
static const char TOOLS[] =
    "[{"
    "  \"name\": \"list_orders\","
    "  \"description\": \"The orders of a quarter.\","
    "  \"inputSchema\": {"
    "    \"type\": \"object\","
    "    \"properties\": { \"quarter\": { \"type\": \"integer\", \"minimum\": 1, \"maximum\": 4 } },"
    "    \"required\": [\"quarter\"]"
    "  }"
    "}, {"
    "  \"name\": \"rate\","
    "  \"description\": \"What a unit of a currency is worth in euros.\","
    "  \"inputSchema\": {"
    "    \"type\": \"object\","
    "    \"properties\": { \"currency\": { \"type\": \"string\" } },"
    "    \"required\": [\"currency\"]"
    "  }"
    "}]";

static char ORDERS[] =
    "[{ \"customer\": \"Ada\", \"amount\": 250, \"currency\": \"EUR\" },"
    " { \"customer\": \"Grace\", \"amount\": 1200, \"currency\": \"USD\" },"
    " { \"customer\": \"Ada\", \"amount\": 90000, \"currency\": \"JPY\" }]";

static const char REPORT[] =
    "{ \"language\": \"typescript\", \"limits\": { \"wallTime\": \"10s\" }, \"env\": { \"quarter\": 3 }, \"code\": \""
    "const orders = await shop.listOrders({ quarter: env.quarter });\\n"
    "const rates = await Promise.all(orders.map(({ currency }) => shop.rate({ currency })));\\n"
    "const euros: Record<string, number> = {};\\n"
    "orders.forEach(({ customer, amount }, n) => {\\n"
    "  euros[customer] = (euros[customer] ?? 0) + amount * rates[n];\\n"
    "});\\n"
    "console.log(`${orders.length} orders`);\\n"
    "return euros;"
    "\" }";

/* It asks for what there is not. */
static const char MISTAKE[] = "{ \"language\": \"cobol\", \"code\": \"STOP RUN.\" }";

/* A question that waits for its answer. */
typedef struct {
    char currency[4];
    ampoule_call *call;
} question;

/* Takes as long as it takes: the runtime's threads have other things to do meanwhile. */
static void *look_up(void *given) {
    question *asked = (question *)given;
    if (strcmp(asked->currency, "EUR") == 0) {
        ampoule_call_answer(asked->call, "1");
    } else if (strcmp(asked->currency, "USD") == 0) {
        ampoule_call_answer(asked->call, "0.75");
    } else if (strcmp(asked->currency, "JPY") == 0) {
        ampoule_call_answer(asked->call, "0.0078125");
    } else {
        ampoule_call_fail(asked->call, "there is no rate of this currency");
    }
    free(asked);
    return NULL;
}

/* Called by threads of the runtime. The arguments fit the schema; a JSON library reads them where there are more than one. */
static void carry_out(void *context, const char *tool, const char *arguments, ampoule_call *call) {
    const char *orders = (const char *)context;
    pthread_t thread;
    question *asked;
    if (strcmp(tool, "list_orders") == 0) {
        ampoule_call_answer(call, orders);
        return;
    }
    asked = (question *)calloc(1, sizeof *asked);
    if (asked == NULL) {
        ampoule_call_fail(call, "there is no memory");
        return;
    }
    asked->call = call;
    sscanf(arguments, "{\"currency\":\"%3[A-Z]\"}", asked->currency);
    if (pthread_create(&thread, NULL, look_up, asked) == 0) {
        pthread_detach(thread);
    } else {
        ampoule_call_fail(call, "there is no thread");
        free(asked);
    }
}

/* Runs a script, and prints its outcome, or why it has none. */
static int show(const ampoule_runtime *runtime, const char *options, ampoule_tools *tools) {
    char *fault = NULL;
    char *outcome = ampoule_runtime_run(runtime, options, &tools, 1, &fault);
    printf("%s\n", outcome != NULL ? outcome : fault);
    ampoule_string_free(outcome);
    ampoule_string_free(fault);
    return outcome != NULL;
}

int main(void) {
    char *fault = NULL;
    ampoule_tools *tools = NULL;
    ampoule_runtime *runtime = ampoule_runtime_new("{}", &fault);
    if (runtime != NULL) {
        tools = ampoule_tools_new("shop", TOOLS, carry_out, ORDERS, NULL, &fault);
    }
    if (tools != NULL) {
        show(runtime, REPORT, tools);
        show(runtime, MISTAKE, tools);
    } else {
        fprintf(stderr, "%s\n", fault);
        ampoule_string_free(fault);
    }
    ampoule_tools_free(tools);
    ampoule_runtime_close(runtime);
    ampoule_runtime_free(runtime);
    return tools == NULL;
}
