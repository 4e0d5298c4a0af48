import { createRandom } from '../../domain/statistics/random.ts';
import type { KnobValue } from '../../domain/knob/knob-value.ts';
import type { Arm } from './arms.ts';
import { type Candidate, candidateOf, type Measured } from './observed.ts';
import type { Sampler, Studies } from './optuna/study.ts';
import type { Problem } from './problem.ts';
import { propose } from './propose.ts';
import { SEEDS } from './settings.ts';
import { evenDraw, filesOf, valuesIn } from './space.ts';

export interface RepeatInput {
  problem: Problem;
  repeat: number;
  trials: number;
  /** Candidates without an outcome when the next one is drawn. */
  inFlight: number;
}

export interface Repeat {
  /** After each trial: the true value of the candidate with the best observed value. */
  path: number[];
  /** CPU milliseconds of a proposal: the mean. */
  cpuMs: number;
}

/** A run of a problem: the observed value, with the noise of this repeat, and the value without noise. */
type Measure = (values: readonly KnobValue[]) => { value: number; truth: number };

function measureWith({ problem, repeat }: RepeatInput): Measure {
  const noise = createRandom(SEEDS.noise + repeat);
  return (values) => {
    const truth = problem.value(values);
    return { value: truth + problem.noise * noise.normal(), truth };
  };
}

function pathOf(runs: readonly { value: number; truth: number }[]): number[] {
  let best = { value: Infinity, truth: NaN };
  return runs.map((run) => {
    if (run.value < best.value) best = run;
    return best.truth;
  });
}

const startOf = ({ repeat }: RepeatInput) => createRandom(SEEDS.start + repeat);

function repeatEven(input: RepeatInput): Repeat {
  const random = startOf(input);
  const measure = measureWith(input);
  const runs = Array.from({ length: input.trials }, () => measure(evenDraw(input.problem.knobs, random)));
  return { path: pathOf(runs), cpuMs: 0 };
}

/** The first trial is the original: the first even draw of this repeat. */
function repeatProduct(input: RepeatInput, { name, proposers, parent }: { name: string } & ProductArm): Repeat {
  const { problem, repeat, trials, inFlight } = input;
  const { knobs } = problem;
  const measure = measureWith(input);
  const files = filesOf(knobs, evenDraw(knobs, startOf(input)));
  const open: Candidate[] = [candidateOf(files, { knobs, proposer: null, parent: null })];
  const measured: Measured[] = [];
  let total = 0;
  const settle = (most: number): void => {
    for (let one = open[0]; one !== undefined && open.length > most; one = open[0]) {
      measured.push({ ...one, ...measure(valuesIn(knobs, one.files)) });
      open.shift();
    }
  };
  settle(0);
  for (let n = 1; n < trials; n += 1) {
    const choice = proposers[(n - 1) % proposers.length];
    if (choice === undefined) throw new Error(`expected proposers of the arm ${name}, got none`);
    const key = `bench/${problem.name}/${name}/${repeat}/${n}`;
    const { candidate, cpuMs } = propose({ knobs, choice, parent, measured, inFlight: open, key });
    open.push(candidate);
    total += cpuMs;
    settle(inFlight);
  }
  settle(0);
  return { path: pathOf(measured), cpuMs: total / Math.max(1, trials - 1) };
}

type ProductArm = Extract<Arm['by'], { kind: 'product' }>;

async function repeatOptuna(input: RepeatInput, { sampler, studies }: { sampler: Sampler; studies: Studies }) {
  const { problem, repeat, trials } = input;
  const measure = measureWith(input);
  const runs: ReturnType<Measure>[] = [];
  let cpuMs = 0;
  let answer = await studies.begin({ sampler, seed: SEEDS.start + repeat, knobs: problem.knobs });
  for (;;) {
    cpuMs += answer.cpuMs;
    const run = measure(answer.values.map((value, i) => choiceAt(problem, i, value)));
    runs.push(run);
    if (runs.length === trials) return { path: pathOf(runs), cpuMs: cpuMs / trials };
    answer = await studies.report(run.value);
  }
}

function choiceAt({ knobs }: Problem, index: number, value: number): KnobValue {
  const knob = knobs[index];
  return knob?.type === 'choice' ? (knob.values[value] ?? null) : value;
}

/** Runs one repeat of an arm. `studies`: required by the arms of Optuna. */
export async function runRepeat({ name, by }: Arm, input: RepeatInput, studies: Studies | null): Promise<Repeat> {
  if (by.kind === 'even') return repeatEven(input);
  if (by.kind === 'product') return repeatProduct(input, { name, ...by });
  if (studies === null) throw new Error(`expected a process of Optuna for ${name}, got none`);
  return repeatOptuna(input, { sampler: by.sampler, studies });
}
