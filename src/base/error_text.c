/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error_text.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* The library's own. A room that no thread's end gives back, since the system had no place to note
 * it, is lost: that may happen to these, and to no others, so it ends with them. */
#define OWN 8u
static tide_error_text own[OWN];

/* All others; only ever grows at its head. */
static tide_error_text *rooms;

/* The key whose destructor gives a room back, plus 1; 0: there is none yet. */
static uint64_t key_and_one;

/* Released for the next taker's acquire: what it writes comes after what was written here. */
static void give_back(void *value)
{
    tide_error_text *room = value;
    *room->holder = NULL;
    __atomic_store_n(&room->taken, 0, __ATOMIC_RELEASE);
}

/* Asked again as long as there is no key: keys that the program frees are keys to be had. Of two
 * threads that make one at once, one drops its own. */
static bool find_key(pthread_key_t *key)
{
    uint64_t known = __atomic_load_n(&key_and_one, __ATOMIC_ACQUIRE);
    if (known == 0) {
        pthread_key_t made;
        if (pthread_key_create(&made, give_back) != 0)
            return false;
        if (__atomic_compare_exchange_n(&key_and_one, &known, (uint64_t)made + 1, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            known = (uint64_t)made + 1;
        else
            pthread_key_delete(made);
    }
    *key = (pthread_key_t)(known - 1);
    return true;
}

static bool give_back_at_exit(tide_error_text *room)
{
    pthread_key_t key;
    return find_key(&key) && pthread_setspecific(key, room) == 0;
}

static bool claim(tide_error_text *room)
{
    uint32_t idle = 0;
    if (__atomic_load_n(&room->taken, __ATOMIC_RELAXED) != 0)
        return false;
    return __atomic_compare_exchange_n(&room->taken, &idle, 1, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
}

static tide_error_text *claim_own(void)
{
    for (size_t i = 0; i < OWN; i++) {
        if (claim(&own[i]))
            return &own[i];
    }
    return NULL;
}

/* The list is walked once in a thread's life, and is as long as the most threads that had sentences
 * at one time. */
static tide_error_text *claim_or_make(void)
{
    tide_error_text *room = __atomic_load_n(&rooms, __ATOMIC_ACQUIRE);
    for (; room != NULL; room = room->next) {
        if (claim(room))
            return room;
    }
    room = calloc(1, sizeof *room);
    if (room == NULL)
        return NULL;
    room->taken = 1;
    do
        room->next = __atomic_load_n(&rooms, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&rooms, &room->next, room, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED));
    return room;
}

tide_error_text *tide_error_text_take(tide_error_text **holder)
{
    tide_error_text *room = claim_own();
    if (room != NULL) {
        room->holder = holder;
        (void)give_back_at_exit(room);
        return room;
    }
    room = claim_or_make();
    if (room == NULL)
        return NULL;
    room->holder = holder;
    if (give_back_at_exit(room))
        return room;
    __atomic_store_n(&room->taken, 0, __ATOMIC_RELEASE);
    return NULL;
}
