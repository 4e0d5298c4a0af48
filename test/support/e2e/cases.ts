import { readdirSync, readFileSync } from 'node:fs';
import type { ScriptedRequest, Script } from '../scripted-endpoint.ts';
import type { TestStack } from '../stack.ts';

/** Seconds that programs of this test sleep. No other test sleeps as long, so its leftovers can be found. */
export const SLEEP_SECONDS = String(1_000_000 + process.pid);

/** Processes of this test that still sleep. */
export function sleepingProcesses(): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(SLEEP_SECONDS);
    } catch {
      return false; // The process ended meanwhile.
    }
  });
}

/** An answer that sets CASE in knobs.env, and says so in its hypothesis. */
export const setCase = (name: string): string =>
  `Hypothesis: ${name}\n\nknobs.env\n\`\`\`\n` +
  `<<<<<<< SEARCH\nCASE=start\n=======\nCASE=${name}\n>>>>>>> REPLACE\n\`\`\`\n`;

/** Gives each request the next answer of the model that it names. Each research has a model of its own. */
export function byModel(
  answers: Record<string, (nth: number, request: ScriptedRequest) => ReturnType<Single>>,
): Script {
  const counts = new Map<string, number>();
  return (request) => {
    const { model } = request.body;
    const nth = (counts.get(model) ?? 0) + 1;
    counts.set(model, nth);
    const answer = answers[model];
    if (!answer) throw new Error(`expected one of the models ${Object.keys(answers).join(', ')}, got ${model}`);
    return answer(nth, request);
  };
}
type Single = Extract<Script, (request: ScriptedRequest) => unknown>;

/** Sets CASE to one case after the other. */
export const inTurn =
  (cases: readonly string[]) =>
  (nth: number): { kind: 'answer'; text: string } => ({ kind: 'answer', text: setCase(cases[nth - 1] ?? 'good') });

/** A task whose run does what CASE says; its proposals come from the model named `model`. */
export const caseTask = (model: string, cases: number) => ({
  name: model,
  llm: { model, attempts: 1 },
  search: { parent: 'original' as const, proposer: 'llm' as const, window: 4 },
  budget: { trials: cases },
  knobs: [],
});

/** All that is kept of a trial. */
export interface TrialRecord extends Record<string, unknown> {
  n: number;
  kind: string;
  hypothesis: string | null;
  proposer: string | null;
  status: string | null;
  failure: string | null;
  failure_message: string | null;
  value: number | null;
  trusted: boolean | null;
  verdict: string | null;
  reason: string | null;
  evaluator_notes: string | null;
  sandboxed: boolean | null;
  tree_gone: boolean | null;
  log_tail: string | null;
  answer: string | null;
  error: string | null;
}

/** Every trial of a research with what is kept of it: its last run's log, its last call's answer. */
export function readTrialRecords(stack: Pick<TestStack, 'query'>, researchId: string): Promise<TrialRecord[]> {
  return stack.query<TrialRecord>(
    `select n, kind, hypothesis, proposer, trials.status, failure, failure_message, value, trusted, verdict, reason,
       evaluator_notes, (runs."end"->>'sandboxed')::boolean as sandboxed,
       (runs."end"->>'treeGone')::boolean as tree_gone, log_tail, answer, error
     from trials
     left join lateral (select * from runs where trial_id = trials.id order by placement desc limit 1) runs on true
     left join lateral (select * from calls where trial_id = trials.id order by turn desc limit 1) calls on true
     where research_id = $1 order by n`,
    [researchId],
  );
}

/** Waits until every research has ended; on a timeout the error shows the phase and reason of each. */
export async function untilAllStopped(stack: TestStack, ids: readonly string[], seconds = 300): Promise<void> {
  await stack.until(
    'every research to end',
    `select count(*) filter (where phase = 'stopped') = $2 as done,
       json_agg(json_build_array(id, phase, reason, last_n)) as researches
     from researches where id = any($1)`,
    [ids, ids.length],
    seconds,
  );
}

/** Numbers of slots by state. A slot that is leased after the end of all work is lost. */
export async function slotStates(stack: Pick<TestStack, 'query'>): Promise<{ leased: number; usable: number }> {
  const [row] = await stack.query<{ leased: number; usable: number }>(
    `select count(*) filter (where state = 'leased')::int as leased,
       count(*) filter (where state in ('free', 'offered') and pool <> 'agents')::int as usable from slots`,
  );
  return row ?? { leased: -1, usable: -1 };
}
