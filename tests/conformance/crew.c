/* SPDX-License-Identifier: Apache-2.0 */
#include "crew.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct crew_place {
    replay_crew *crew;
    unsigned number;
} crew_place;

static void crew_must(int error, const char *what)
{
    if (error != 0) {
        fprintf(stderr, "tide-replay: %s: error %d\n", what, error);
        exit(2);
    }
}

void crew_begin(replay_crew *crew)
{
    *crew = (replay_crew){.turn = 0};
    crew_must(pthread_mutex_init(&crew->mutex, NULL), "pthread_mutex_init");
    crew_must(pthread_cond_init(&crew->changed, NULL), "pthread_cond_init");
}

static void *crew_work(void *argument)
{
    crew_place place = *(crew_place *)argument;
    free(argument);
    replay_crew *crew = place.crew;
    pthread_mutex_lock(&crew->mutex);
    for (;;) {
        while (crew->turn != place.number && !crew->ended)
            pthread_cond_wait(&crew->changed, &crew->mutex);
        if (crew->ended)
            break;
        crew->job(crew->context); /* under the mutex: thread 0 waits for just this */
        crew->turn = 0;
        pthread_cond_broadcast(&crew->changed);
    }
    pthread_mutex_unlock(&crew->mutex);
    return NULL;
}

static void crew_start(replay_crew *crew, unsigned thread)
{
    crew_place *place = malloc(sizeof *place);
    crew_must(place == NULL, "malloc");
    *place = (crew_place){crew, thread};
    crew_must(pthread_create(&crew->members[thread].thread, NULL, crew_work, place),
              "pthread_create");
    crew->members[thread].started = true;
}

void crew_run(replay_crew *crew, unsigned thread, crew_job *job, void *context)
{
    if (thread == 0) {
        job(context);
        return;
    }
    if (!crew->members[thread].started)
        crew_start(crew, thread);
    pthread_mutex_lock(&crew->mutex);
    crew->turn = thread;
    crew->job = job;
    crew->context = context;
    pthread_cond_broadcast(&crew->changed);
    while (crew->turn != 0)
        pthread_cond_wait(&crew->changed, &crew->mutex);
    pthread_mutex_unlock(&crew->mutex);
}

static void crew_ask_token(void *context)
{
    *(tide_owner *)context = tide_owner_current();
}

tide_owner crew_token(replay_crew *crew, unsigned thread)
{
    if (crew->members[thread].token == 0)
        crew_run(crew, thread, crew_ask_token, &crew->members[thread].token);
    return crew->members[thread].token;
}

void crew_end(replay_crew *crew)
{
    pthread_mutex_lock(&crew->mutex);
    crew->ended = true;
    pthread_cond_broadcast(&crew->changed);
    pthread_mutex_unlock(&crew->mutex);
    for (unsigned i = 1; i < CREW_SIZE; i++) {
        if (crew->members[i].started)
            crew_must(pthread_join(crew->members[i].thread, NULL), "pthread_join");
    }
    pthread_cond_destroy(&crew->changed);
    pthread_mutex_destroy(&crew->mutex);
}
