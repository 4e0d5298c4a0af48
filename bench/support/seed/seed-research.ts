import { sql } from 'drizzle-orm';
import type { Db } from '../../../db/connect.ts';
import type { GateConfig } from '../../../domain/gate/types.ts';
import type { Phase } from '../../../domain/research/phase.ts';
import { eventRows, limitOf } from './events.ts';
import { fillCalls, fillLearning, fillPoints } from './fill.ts';
import { insertHosts, insertSlots, newSlots } from './fleet.ts';
import { bytes, insertRows } from './insert-rows.ts';
import { play } from './play.ts';
import {
  timestampAt,
  blobRows,
  candidateRows,
  jobRow,
  runRow,
  sha256,
  stageOf,
  trialRow,
  type SeededResearch,
} from './rows.ts';
import type { IdleStretch, Story } from './story.ts';
import { seedTask, workspaceFiles } from './task.ts';

export interface SeedOptions {
  id: string;
  /** Number of ended trials. */
  trials: number;
  /** True: has hostile texts and names, and values that are no numbers. */
  hostile?: boolean;
  /** True: the proposals are samples of a policy that learns. */
  learns?: boolean;
  /** Number of GPU slots; by default 8, on two hosts. */
  slots?: number;
  pool?: string;
  /** `running` (the default) has open trials; `stopped` has none. */
  phase?: Extract<Phase, 'running' | 'stopped'>;
  /**
   * True: people are needed. The model endpoint is down, so the research waits. A host is in quarantine, and there is
   * an alert. If the research learns, a gate has halted that.
   */
  trouble?: boolean;
  /** Number of the last trials that have curves and detailed events; by default at most 5,000. */
  detailed?: number;
  /** Present time: the last trial has just ended. */
  now?: Date;
  seed?: number;
}

const CONFIG: GateConfig = {
  policy: 'noise-gated',
  direction: 'minimize',
  minDelta: 0,
  falseKeepsPer200: 0.05,
  baselineRuns: 10,
  repeats: 1,
  followsLead: true,
};

const HOLDS: readonly IdleStretch[] = [
  { share: 0.4, phase: 'waiting', reason: 'the model endpoint is down: 503 Service Unavailable', seconds: 360 },
  { share: 0.7, phase: 'paused', reason: null, seconds: 1200 },
];

/**
 * Stores a research as it would be after that many trials, within seconds even for 50,000. It is simulated with the
 * production gate, so that verdicts, claims and the state of the gate fit together. The same options make the same
 * rows. The database may have other researches; each has its own hosts. Returns the simulated story, with its times in
 * seconds since `place.from`.
 */
export async function seedResearch(db: Db, options: SeedOptions): Promise<{ story: Story; place: SeededResearch }> {
  const { id, trials, hostile = false, learns = false, pool = 'lab', phase = 'running', now = new Date() } = options;
  const { task, yaml, name } = seedTask({ pool, learns });
  const slots = await newSlots(db, options.slots ?? 8);
  const story = play({
    researchId: id,
    config: CONFIG,
    trials,
    slots: slots.length,
    goesOn: phase === 'running',
    holds: HOLDS,
    seed: options.seed ?? 1,
  });
  const from = now.getTime() - story.totalSeconds * 1000;
  const taskHash = sha256(yaml);
  const place: SeededResearch = {
    id,
    taskHash,
    pool,
    proposer: learns ? 'policy' : 'llm',
    from,
    slots,
    hostile,
  };
  await insertTask(db, { hash: taskHash, name, task, yaml });
  await insertRows(db, 'blobs', blobRows(story.designs.values(), hostile));
  await insertRows(db, 'candidates', candidateRows(story.designs, place));
  await insertRows(db, 'researches', [researchRow(place, { story, phase, now })]);
  await insertTrials(db, place, story);
  await insertRows(db, 'claims', claimRows(place, story));
  await insertRows(db, 'wanted_runs', wantRows(place, story));
  await insertRows(db, 'notes', [noteRow(place)]);
  const first = trials - (options.detailed ?? 5000);
  await insertRows(db, 'events', eventRows(place, story, first));
  await insertHosts(db, place, now);
  await insertSlots(db, place, now);
  await fillPoints(db, { id, from: first, now, hostile });
  if (learns) await fillLearning(db, { id, halted: options.trouble ?? false });
  else await fillCalls(db, { id });
  if (options.trouble) await insertTrouble(db, place, now);
  return { story, place };
}

type TaskRow = { hash: string; name: string; task: unknown; yaml: string };

async function insertTask(db: Db, { hash, name, task, yaml }: TaskRow): Promise<void> {
  const files = Object.entries(workspaceFiles());
  const texts = files.map(([, text]) => ({ hash: sha256(text), content: bytes(text) }));
  await insertRows(db, 'task_versions', [
    {
      hash,
      name,
      task,
      yaml,
      stage_hash: `stage ${name}`,
      immutable_hash: 'seeded',
      evaluator_hash: 'seeded',
      metric_key: 'seeded',
      mutable_paths: ['config.yaml', 'train.py'],
    },
  ]);
  await insertRows(db, 'blobs', texts);
  const rows = files.map(([path, text]) => ({
    task_hash: hash,
    role: 'workspace',
    path,
    blob_hash: sha256(text),
    executable: false,
  }));
  await insertRows(db, 'task_files', rows);
}

function researchRow(place: SeededResearch, { story, phase, now }: { story: Story; phase: Phase; now: Date }) {
  const { ended, open } = story;
  const admitted: Record<string, number> = {};
  const refunded: Record<string, number> = {};
  for (const { kind } of [...ended, ...open]) admitted[kind] = (admitted[kind] ?? 0) + 1;
  for (const { kind, status } of ended)
    if (status === 'cached' || status === 'rejected') refunded[kind] = (refunded[kind] ?? 0) + 1;
  const budget = { trials: limitOf(ended.length), counts: ['search', 'injected'], whenSpent: 'stop' };
  return {
    id: place.id,
    task_hash: place.taskHash,
    proposer: place.proposer,
    phase,
    reason: null,
    budget,
    last_n: ended.length + open.length,
    admitted,
    refunded,
    window: place.slots.length + 2,
    slot_seconds: ended.reduce((sum, { seconds }) => sum + (seconds ?? 0), 0),
    gate_config: story.config,
    gate: story.gate,
    baseline_candidate: story.baseline,
    run_id: 'seeded',
    active_seconds: story.totalSeconds - story.idleSeconds,
    created_at: timestampAt(place, 0),
    updated_at: now.toISOString(),
  };
}

async function insertTrials(db: Db, place: SeededResearch, story: Story): Promise<void> {
  const { ended, open } = story;
  const under = open.map((trial) => ({ trial, stage: stageOf(trial, story) }));
  const jobs = [
    ...ended.map((trial) => jobRow(place, trial, false)),
    ...open.map((trial) => jobRow(place, trial, true)),
  ];
  await insertRows(db, 'jobs', jobs);
  const rows = [
    ...ended.map((trial) => trialRow(place, trial)),
    ...under.map(({ trial, stage }) => trialRow(place, trial, stage)),
  ];
  await insertRows(db, 'trials', rows);
  const running = under.filter(({ stage }) => stage === 'running');
  const ran = ended.filter(({ slot }) => slot !== null);
  const runs = [
    ...ran.map((trial) => runRow(place, trial, false)),
    ...running.map(({ trial }) => runRow(place, trial, true)),
  ];
  await insertRows(db, 'runs', runs);
}

const claimRows = (place: SeededResearch, { claims }: Story) =>
  claims.map(({ candidateId, ofTrial, previous, value, sd, n, reason, at: seconds }, index) => ({
    research_id: place.id,
    seq: index + 1,
    candidate_id: candidateId,
    of_trial: ofTrial,
    previous,
    value,
    sd,
    n,
    reason,
    by: 'gate',
    at: timestampAt(place, seconds),
  }));

const wantRows = ({ id }: SeededResearch, { wanted }: Story) =>
  wanted.map(({ kind, candidateId, ofTrial }) => ({
    research_id: id,
    kind,
    candidate_id: candidateId,
    of_trial: ofTrial,
  }));

const noteRow = (place: SeededResearch) => ({
  id: `note ${place.id}`,
  research_id: place.id,
  created_at: timestampAt(place, 600),
  text: place.hostile
    ? '<img src=x onerror=globalThis.pwned=true>'
    : 'Leave the tokenizer alone; look at the schedule first.',
});

async function insertTrouble(db: Db, { id, slots }: SeededResearch, now: Date): Promise<void> {
  const why = 'the model endpoint is down: 503 Service Unavailable, tried again in 2 min';
  const before = (seconds: number): string => new Date(now.getTime() - seconds * 1000).toISOString();
  await db.execute(sql`update researches set phase = 'waiting', endpoint_down = ${why} where id = ${id}`);
  await db.execute(sql`
    update hosts set failures = 2, last_error = 'ssh: connect to host: connection timed out',
      last_error_at = ${before(95)}::timestamptz,
      quarantined_until = ${before(-300)}::timestamptz where name = ${slots.at(-1)?.host ?? ''}`);
  const message = 'the signal inject was left out: expected edits of mutable files, got one of model.py';
  await insertRows(db, 'alerts', [{ research_id: id, message, at: before(1800) }]);
  const warning = { research_id: id, level: 'warning', n: null, at: before(3600) };
  await insertRows(db, 'events', [
    {
      ...warning,
      research_id: null,
      kind: 'host-out',
      data: { host: slots.at(-1)?.host, why: 'ssh: connection timed out' },
    },
    { ...warning, kind: 'endpoint-down', data: { why: '503 Service Unavailable' } },
    { ...warning, level: 'info', kind: 'phase', data: { from: 'running', phase: 'waiting', reason: why } },
  ]);
}
