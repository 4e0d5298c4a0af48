import { join } from 'node:path';
import type { TestStack } from '../../support/stack.ts';
import { writeTask, type TaskFiles } from '../../support/tasks.ts';

const refuse = `const refuse = (why) => { writeSync(2, why + '\\n'); process.exit(3); };`;
/** The hidden value comes from the evaluator's secret seed, and is close to 7. */
const hidden = `const hidden = 7 + ((Number(process.env.PERPETUA_SEED) % 1000) / 1000 - 0.5) / 10;`;

/** Reads one finite number out of JSON; if there is none, blames the candidate. */
const CAREFUL = `import { readFileSync, writeSync } from 'node:fs';
${refuse}
${hidden}
const parse = () => JSON.parse(readFileSync('artefacts/out.json', 'utf8'));
let answer;
try { answer = parse(); } catch (error) { refuse('expected JSON: ' + error.message); }
const guess = answer?.guess;
if (!Number.isFinite(guess)) refuse('expected { guess: a finite number }');
const notes = [
  { name: 'guess', value: guess, text: 'it is ' + (guess < hidden ? 'too small' : 'too large') },
  { name: 'answer', value: hidden, text: 'the answer is ' + hidden, heldOut: true },
];
writeSync(3, JSON.stringify({ error: Math.abs(guess - hidden), notes }));
`;

/** Fails if the artefact is no JSON, as if every candidate were honest. */
const FRAGILE = CAREFUL.replace(/^try \{ (.*) \} catch.*$/m, '$1');

/** Asks for the double of a number, one question after the other, and takes one line for each. */
const ASK = `import { writeSync } from 'node:fs';
${refuse}
${hidden}
const ROUNDS = 20;
let [rest, error, last] = ['', 0, 0];
const lines = [];
let wake = () => undefined;
let ended = false;
process.stdin.on('data', (chunk) => {
  const parts = (rest + chunk).split('\\n');
  rest = parts.pop();
  lines.push(...parts);
  wake();
});
process.stdin.on('end', () => { ended = true; wake(); });
const heard = () => new Promise((resolve) => (wake = resolve));
for (let round = 1; round <= ROUNDS; round += 1) {
  if (lines.length > 0) refuse('expected one line for each question, got more: ' + lines[0]);
  last = Math.round(hidden * 1000 * round);
  writeSync(1, last + '\\n');
  while (lines.length === 0) {
    if (ended) refuse('expected an answer, got the end of the output');
    await heard();
  }
  const answer = Number(lines.shift());
  if (!Number.isFinite(answer)) refuse('expected a finite number');
  error += Math.abs(answer - 2 * last) + hidden / 1000;
}
writeSync(3, JSON.stringify({ error }));
process.exit();
`;

const run = {
  command: 'sh run.sh',
  budget: { seconds: 1, kind: 'wall' as const },
  timeoutSeconds: 30,
  graceSeconds: 0.3,
  resources: { memoryMb: 200, processes: 30, outputMb: 0.2, diskMb: 16, files: 500 },
};
const metric = { name: 'error', direction: 'minimize' as const, min: 0, max: 1000 };
const artefact = { type: 'artefact' as const, command: 'node score.mjs' };
const knobs = [{ file: 'run.sh', name: 'X', type: 'float' as const, range: [0, 20] as [number, number] }];
/** A budget under which a run is never contended, however busy the machine is. */
const CPU = { seconds: 2, kind: 'reference' as const };
const ASKED = {
  type: 'interactive' as const,
  command: 'node ask.mjs',
  answer: 'sh answer.sh',
  timeoutSeconds: 100,
  roundSeconds: 8,
  lineKb: 4,
  totalMb: 0.2,
};
const ASKED_FILES = {
  'workspace/run.sh': 'X=1.5\necho ran\n',
  'workspace/answer.sh': 'while read -r x; do echo $((2 * x)); done\n',
  'evaluator/ask.mjs': ASK,
};
const GUESS = 'X=1.5\n. ./knobs.env\nprintf \'{"guess": %s}\' "$X" >out.json\n';

/** Leaves a guess as a pickle, in a zip archive as torch.save writes one. */
const PICKLED = `X=1.5
python3 -c "import pickle, zipfile
with zipfile.ZipFile('out.pt', 'w') as made:
    made.writestr('out/data.pkl', pickle.dumps({'guess': $X}, 2))
    made.writestr('out/version', '3')"
`;
/** Loads the guess with an unpickler; `safe`: with one that brings no object of a module. */
const unpickle = (safe: boolean): string => `import io, json, os, pickle, zipfile
class Unpickler(pickle.Unpickler):
    def find_class(self, module, name):
        ${safe ? 'raise pickle.UnpicklingError(module)' : 'return super().find_class(module, name)'}
with zipfile.ZipFile('artefacts/out.pt') as archive:
    guess = Unpickler(io.BytesIO(archive.read('out/data.pkl'))).load()['guess']
hidden = 7 + ((int(os.environ['PERPETUA_SEED']) % 1000) / 1000 - 0.5) / 10
os.write(3, json.dumps({'error': abs(guess - hidden)}).encode())
`;
const pickledTask = (safe: boolean) => ({
  task: {
    run: { ...run, artefacts: [{ path: 'out.pt', maxMb: 1 }] },
    evaluator: { ...artefact, command: 'python3 score.py', safeLoad: true },
  },
  files: { 'workspace/run.sh': PICKLED, 'evaluator/score.py': unpickle(safe) },
});

/** Small tasks to attack, by name: some hold, and some do not. */
const TASKS = {
  /** Leaves a guess, which a careful evaluator reads. */
  careful: {
    task: { run: { ...run, artefacts: [{ path: 'out.json', maxMb: 1 }] }, evaluator: artefact },
    files: {
      'workspace/run.sh': GUESS,
      'evaluator/score.mjs': CAREFUL,
      'exploits/no-number/run.sh': 'printf \'{"guess": "best"}\' >out.json\n',
      'exploits/better-guess/run.sh': 'printf \'{"guess": 7}\' >out.json\n',
    },
  },
  /** Answers the evaluator's questions. */
  asked: {
    task: {
      run,
      mutable: ['run.sh', 'answer.sh'],
      evaluator: ASKED,
    },
    files: ASKED_FILES,
  },
  /** Has an evaluator that fails on an artefact that it did not expect. */
  fragile: {
    task: { run: { ...run, artefacts: [{ path: 'out.json', maxMb: 1 }] }, evaluator: artefact },
    files: { 'workspace/run.sh': GUESS, 'evaluator/score.mjs': FRAGILE },
  },
  /** Takes the score that the candidate prints. */
  printed: {
    task: {
      run,
      metric: { ...metric, from: 'stdout' as const, pattern: '^error: (?<value>\\S+)$' },
      evaluator: { type: 'none' as const },
    },
    files: { 'workspace/run.sh': 'X=1.5\necho "error: $(( $$ % 7 + 5 ))"\n' },
  },
  /** Says that its evaluator executes no artefact, which is true, or not. */
  'loads-safely': pickledTask(true),
  unpickles: pickledTask(false),
  /** Runs without a sandbox. */
  open: {
    task: {
      run: { ...run, sandbox: 'none' as const, artefacts: [{ path: 'out.json', maxMb: 1 }] },
      evaluator: artefact,
    },
    files: { 'workspace/run.sh': GUESS, 'evaluator/score.mjs': CAREFUL },
  },
  /** `careful` with a budget of CPU time. */
  cpu: {
    task: {
      // A wall-clock limit that never comes first, however little of a CPU the run gets.
      run: { ...run, budget: CPU, timeoutSeconds: 600, artefacts: [{ path: 'out.json', maxMb: 1 }] },
      evaluator: artefact,
    },
    files: { 'workspace/run.sh': GUESS, 'evaluator/score.mjs': CAREFUL },
  },
  /** `asked` with a budget of CPU time. */
  'asked-cpu': {
    task: { run: { ...run, budget: CPU }, mutable: ['run.sh', 'answer.sh'], evaluator: { ...ASKED, roundSeconds: 60 } },
    files: ASKED_FILES,
  },
  /** Lets only values change, in a file that is no program. */
  values: {
    task: {
      run: { ...run, artefacts: [{ path: 'out.txt' }] },
      mutable: ['knobs.env'],
      knobs: [{ file: 'knobs.env', name: 'X', type: 'float' as const, range: [0, 20] as [number, number] }],
    },
    files: {},
  },
} satisfies Record<string, TaskFiles>;

export type TaskName = keyof typeof TASKS;

/** Writes one of the tasks into the home of a stack, and returns its folder. */
export function attackedTask({ home }: Pick<TestStack, 'home'>, name: TaskName): Promise<string> {
  const { task, files } = TASKS[name];
  const search = { parent: 'original' as const, proposer: 'random' as const };
  return writeTask(join(home, 'tasks', name), {
    task: { name, mutable: ['run.sh'], metric, progress: undefined, search, knobs, ...task },
    files,
  });
}
