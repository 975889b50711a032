/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recursive parser that leaves by longjmp when its input is wrong. Every level has an open arena;
 * a mark before the setjmp closes them all.
 *
 * The language: a list is ( items ), an item is a letter or a list. "(a(bc)d)" has depth 2.
 */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <tidepool/tidepool.h>

typedef struct parser {
    const char *next;
    const char *complaint; /* says what is wrong, after the jump */
    int closed;            /* cleanups that ran */
    jmp_buf out;
} parser;

static _Noreturn void reject(parser *input, const char *complaint)
{
    input->complaint = complaint;
    longjmp(input->out, 1);
}

static const char *count_close(void *input)
{
    ((parser *)input)->closed++;
    return NULL;
}

static int list(parser *input)
{
    tide_arena arena;
    if (tide_arena_open(&arena) != TIDE_OK ||
        tide_arena_attach(&arena, count_close, input) != TIDE_OK)
        reject(input, "no memory");
    char *letters = tide_arena_strdup(&arena, "");
    int depth = 0;

    input->next++; /* the ( */
    while (*input->next != ')') {
        if (letters == NULL)
            reject(input, "no memory");
        if (*input->next == '(') {
            int inner = list(input);
            depth = inner > depth ? inner : depth;
        } else if (*input->next >= 'a' && *input->next <= 'z') {
            letters = tide_arena_printf(&arena, "%s%c", letters, *input->next++);
        } else {
            reject(input, *input->next == '\0' ? "a list is not closed" : "no letter");
        }
    }
    input->next++; /* the ) */

    if (tide_arena_close(&arena) != TIDE_OK)
        reject(input, tide_last_error_text());
    return depth + 1;
}

/* The depth of a list, or -1. `*closed` is how many arenas were closed, `*complaint` what was wrong
 * or NULL. */
static int parse(const char *text, int *closed, const char **complaint)
{
    parser input = {.next = text};
    volatile int depth = -1;
    tide_mark_point mark = tide_mark();
    if (setjmp(input.out) == 0)
        depth = list(&input);
    /* Reached by return, with nothing to close, or by longjmp, with an arena for each level. */
    if (tide_close_to(mark) != TIDE_OK)
        return -1;
    *closed = input.closed;
    *complaint = input.complaint;
    return depth;
}

int main(void)
{
    int closed;
    const char *complaint;
    if (parse("(a(bc)d)", &closed, &complaint) != 2 || closed != 2 || complaint != NULL)
        return 1;

    if (parse("(a(b(c(d!", &closed, &complaint) != -1 || closed != 4)
        return 1;
    printf("%s: %d arenas closed\n", complaint, closed);
    if (strcmp(complaint, "no letter") != 0)
        return 1;

    if (parse("((((((", &closed, &complaint) != -1 || closed != 6)
        return 1;
    printf("%s: %d arenas closed\n", complaint, closed);

    tide_pool_statistics figures = {.struct_size = sizeof figures};
    return tide_pool_statistics_get(&figures) == TIDE_OK && figures.open_arenas == 0 ? 0 : 1;
}
