/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of goals that are unclear: which rows are measured again, how often, and what counts
 * then. The times are made up. */
#include "test.h"

#include "goals.h"
#include "measure.h"
#include "process.h"

/* ------------------------------------------------------------------------------- workers */

/* The rows that were run, each counted; and what a run takes: by default tidepool a tenth of
 * others. */
static size_t runs;
static const char
    *restless; /* a case of which tidepool's time changes from round to round, or NULL */

void bench_workers_start(bench_worker workers[BENCH_PROCESSES])
{
    memset(workers, 0, BENCH_PROCESSES * sizeof workers[0]);
}

void bench_workers_stop(bench_worker workers[BENCH_PROCESSES])
{
    (void)workers;
}

double bench_worker_run(bench_worker *worker, bench_row *row, unsigned bursts, unsigned nanoseconds)
{
    (void)worker, (void)bursts, (void)nanoseconds;
    bool ours = strncmp(row->contender->name, "tidepool", 8) == 0;
    bool changes = restless != NULL && strcmp(row->name, restless) == 0 && ours;
    size_t round = runs++;
    if (changes)
        return row->count % 2 == 0 ? 0.1 : 1000;
    return ours ? 0.1 + (double)(round % 3) / 1000 : 1;
}

/* ------------------------------------------------------------------------------- tests */

static const bench_effort effort = {.generations = 2, .rounds = 10, .bursts = 1, .nanoseconds = 1};

static bench_rows measured_scratch(void)
{
    bench_rows rows;
    unsigned scratch = 1u << (bench_plan_find("scratch", strlen("scratch")) - bench_plans);
    assert_true(bench_rows_make(&rows, scratch));
    assert_true(bench_measure(&rows, &effort));
    return rows;
}

static size_t marked(const bench_rows *rows, const char *name)
{
    size_t count = 0;
    for (size_t i = 0; i < rows->count; i++)
        count += rows->row[i].again && (name == NULL || strcmp(rows->row[i].name, name) == 0);
    return count;
}

static size_t rows_of(const bench_rows *rows, const char *name)
{
    size_t count = 0;
    for (size_t i = 0; i < rows->count; i++)
        count += strcmp(rows->row[i].name, name) == 0;
    return count;
}

static size_t verdicts(const bench_rows *rows, bench_verdict verdict)
{
    size_t count = 0;
    bench_ratio ratio;
    for (size_t i = 0; i < bench_goal_count; i++)
        count += bench_goal_applies(rows, &bench_goals[i]) &&
                 bench_judge(rows, &bench_goals[i], &ratio) == verdict;
    return count;
}

static void what_is_clear_is_not_measured_again(void **state)
{
    (void)state;
    restless = NULL;
    bench_rows rows = measured_scratch();
    size_t before = runs;
    assert_int_equal(verdicts(&rows, BENCH_UNCLEAR), 0);
    assert_int_equal(bench_mark_unclear(&rows), 0);
    assert_int_equal(marked(&rows, NULL), 0);
    assert_true(bench_measure_again(&rows, &effort));
    assert_int_equal(runs, before);
    bench_rows_free(&rows);
}

static void all_contenders_of_an_unclear_case_are_measured_again(void **state)
{
    (void)state;
    restless = "100";
    bench_rows rows = measured_scratch();
    assert_int_equal(bench_mark_unclear(&rows), 1);
    assert_int_equal(marked(&rows, "100"), rows_of(&rows, "100"));
    assert_int_equal(marked(&rows, NULL), marked(&rows, "100"));
    bench_rows_free(&rows);
}

static void cases_that_are_compared_are_measured_again_together(void **state)
{
    (void)state;
    bench_rows rows;
    static const char *const pair[] = {"64", "65"};
    for (size_t i = 0; i < COUNT_OF(pair); i++) {
        restless = pair[i];
        rows = measured_scratch();
        assert_true(bench_mark_unclear(&rows) >= 1);
        for (size_t j = 0; j < COUNT_OF(pair); j++)
            assert_int_equal(marked(&rows, pair[j]), rows_of(&rows, pair[j]));
        assert_int_equal(marked(&rows, NULL), marked(&rows, "64") + marked(&rows, "65"));
        bench_rows_free(&rows);
    }
}

static void the_later_rounds_are_more_and_alone_count(void **state)
{
    (void)state;
    restless = "100";
    bench_rows rows = measured_scratch();
    size_t part = rows_of(&rows, "100"), before = runs;
    assert_int_equal(bench_mark_unclear(&rows), 1);
    restless = NULL;
    assert_true(bench_measure_again(&rows, &effort));
    assert_int_equal(runs - before, 2 * 40 * part);
    assert_int_equal(marked(&rows, NULL), 0);
    assert_int_equal(verdicts(&rows, BENCH_UNCLEAR), 0);
    for (size_t i = 0; i < rows.count; i++)
        assert_int_equal(rows.row[i].count, strcmp(rows.row[i].name, "100") == 0 ? 80 : 20);
    bench_rows_free(&rows);
}

static void to_measure_again_takes_no_longer_than_to_measure(void **state)
{
    (void)state;
    restless = NULL;
    bench_rows rows = measured_scratch();
    size_t first = runs;
    for (size_t i = 0; i < rows.count; i++)
        rows.row[i].again = true;
    runs = 0;
    assert_true(bench_measure_again(&rows, &effort));
    assert_true(runs == 20 * rows.count && runs <= first);
    bench_rows_free(&rows);
}

static void what_stays_unclear_is_so_called(void **state)
{
    (void)state;
    restless = "100";
    bench_rows rows = measured_scratch();
    assert_int_equal(bench_mark_unclear(&rows), 1);
    assert_true(bench_measure_again(&rows, &effort));
    assert_int_equal(verdicts(&rows, BENCH_UNCLEAR), 1);
    bench_rows_free(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_clear_is_not_measured_again),
        cmocka_unit_test(all_contenders_of_an_unclear_case_are_measured_again),
        cmocka_unit_test(cases_that_are_compared_are_measured_again_together),
        cmocka_unit_test(the_later_rounds_are_more_and_alone_count),
        cmocka_unit_test(to_measure_again_takes_no_longer_than_to_measure),
        cmocka_unit_test(what_stays_unclear_is_so_called),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
