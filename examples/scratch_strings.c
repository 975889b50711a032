/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A request handler that builds strings. Each request gets an arena; everything that is put
 * together for it ends in one place, on every way out.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <tidepool/tidepool.h>

/* The text with &, < and > written as HTML has them; NULL when there is no memory. */
static char *escaped(tide_arena *arena, const char *text)
{
    size_t length = 0;
    for (const char *c = text; *c != '\0'; c++)
        length += *c == '&' ? 5 : *c == '<' || *c == '>' ? 4 : 1;
    char *result = tide_arena_allocate(arena, length + 1, 1); /* zeroed, and so terminated */
    if (result == NULL)
        return NULL;
    char *end = result;
    for (const char *c = text; *c != '\0'; c++) {
        const char *name = *c == '&' ? "&amp;" : *c == '<' ? "&lt;" : *c == '>' ? "&gt;" : NULL;
        if (name == NULL)
            *end++ = *c;
        else
            while (*name != '\0')
                *end++ = *name++;
    }
    return result;
}

/* The value of `key` in "a=1&b=2", or "" without one; NULL when there is no memory. */
static const char *parameter(tide_arena *arena, const char *query, const char *key)
{
    size_t key_length = strlen(key);
    while (*query != '\0') {
        size_t length = strcspn(query, "&");
        if (length > key_length && query[key_length] == '=' && memcmp(query, key, key_length) == 0)
            return tide_arena_strndup(arena, query + key_length + 1, length - key_length - 1);
        query += length + (query[length] == '&');
    }
    return "";
}

/* Writes the page for a request; false when it can't. */
static bool answer(const char *request, char *page, size_t room)
{
    tide_arena scratch;
    if (tide_arena_open(&scratch) != TIDE_OK)
        return false;

    bool done = false;
    const char *question = strchr(request, '?');
    if (question == NULL)
        goto out;
    const char *name = parameter(&scratch, question + 1, "name");
    const char *color = parameter(&scratch, question + 1, "color");
    if (name == NULL || color == NULL)
        goto out;
    char *safe_name = escaped(&scratch, name), *safe_color = escaped(&scratch, color);
    if (safe_name == NULL || safe_color == NULL)
        goto out;
    char *text = tide_arena_printf(&scratch, "<p>%s likes %s</p>", safe_name, safe_color);
    done = text != NULL && strlen(text) < room;
    if (done)
        strcpy(page, text);
out:
    return tide_arena_close(&scratch) == TIDE_OK && done;
}

int main(void)
{
    char page[200];
    if (!answer("/like?color=blue&name=Ann", page, sizeof page) ||
        strcmp(page, "<p>Ann likes blue</p>") != 0)
        return 1;
    puts(page);
    if (!answer("/like?name=<b>Bo</b>&color=", page, sizeof page) ||
        strcmp(page, "<p>&lt;b&gt;Bo&lt;/b&gt; likes </p>") != 0)
        return 1;
    puts(page);
    if (answer("/like", page, sizeof page))
        return 1;

    /* No request has left anything behind. */
    tide_pool_statistics figures = {.struct_size = sizeof figures};
    if (tide_pool_statistics_get(&figures) != TIDE_OK)
        return 1;
    printf("%zu arenas open\n", figures.open_arenas);
    return figures.open_arenas == 0 ? 0 : 1;
}
