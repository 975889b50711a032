/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of a trace: 0 is the thread that replays, 1 to 3 are made at their first mention. One
 * of them works at a time, and each sees all that was done before its turn. */
#ifndef CREW_H
#define CREW_H

#include <pthread.h>
#include <stdbool.h>
#include <tidepool/owner.h>

#define CREW_SIZE 4u

typedef void crew_job(void *context);

typedef struct crew_member {
    pthread_t thread;
    bool started;
    tide_owner token; /* 0 until somebody asks for it */
} crew_member;

typedef struct replay_crew {
    pthread_mutex_t mutex; /* guards turn, job, context and ended */
    pthread_cond_t changed;
    unsigned turn; /* whose job it is; 0: nobody's, the last one is done */
    crew_job *job;
    void *context;
    bool ended;
    crew_member members[CREW_SIZE];
} replay_crew;

void crew_begin(replay_crew *crew);

/* Runs the job on that thread, below CREW_SIZE, and returns when it is done. For thread 0 only; a
 * job calls nothing of the crew. */
void crew_run(replay_crew *crew, unsigned thread, crew_job *job, void *context);

/* The thread's owner token, asked for on the thread itself; 0 if it has none. Thread 0 only. */
tide_owner crew_token(replay_crew *crew, unsigned thread);

/* Ends the threads that were made. */
void crew_end(replay_crew *crew);

#endif
