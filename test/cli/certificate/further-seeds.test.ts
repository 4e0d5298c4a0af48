import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Certificate, publicSeedOf } from '../../../domain/certificate/certificate.ts';
import { loadTask, type LoadedTask } from '../../../tasks/load.ts';
import { writeTask } from '../../support/tasks.ts';
import { run } from '../support/cli.ts';

/** Questions of the bank, questions of an evaluation, and the number of right answers of the model. */
const [BANK, ASKED, RIGHT] = [1000, 300, 900];
const TRIED = 2000;
/** Lehmer's generator, the same in awk and here: products stay below 2^53. */
const [FACTOR, MODULUS] = [48_271, 2_147_483_647];

/** Scores a model, a line 0 or 1 for each question of the bank, on questions that the seed draws. */
const EXAM = `awk -v s="$PERPETUA_SEED" '
  NR <= ${BANK} { right[NR] = $1 }
  END {
    s = s % ${MODULUS}; if (s < 1) s = 1
    for (i = 0; i < ${ASKED} + 3; i++) { s = (s * ${FACTOR}) % ${MODULUS}; if (i >= 3) hits += right[1 + s % ${BANK}] }
    printf "{\\"accuracy\\": %.10f}", hits / ${ASKED}
  }' artefacts/model.txt >&3
`;

/** The accuracy of the model with its right answers first, as the evaluator computes it. */
function accuracyWith(seed: number): number {
  let [s, hits] = [Math.max(1, seed % MODULUS), 0];
  for (let i = 0; i < ASKED + 3; i += 1) {
    s = (s * FACTOR) % MODULUS;
    if (i >= 3 && s % BANK < RIGHT) hits += 1;
  }
  return Number((hits / ASKED).toFixed(10));
}

const MODEL = Array.from({ length: BANK }, (_, question) => `${question < RIGHT ? 1 : 0}\n`).join('');

let folder: string;
let exam: string;
let packing: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perpetua-seeds-'));
  const task = {
    name: 'exam',
    metric: { name: 'accuracy', direction: 'maximize' as const, min: 0, max: 1 },
    run: {
      command: 'sh run.sh',
      budget: { seconds: 5, kind: 'wall' as const },
      artefacts: [{ path: 'model.txt' }],
    },
  };
  exam = await writeTask(join(folder, 'exam'), { task, files: { 'evaluator/score.sh': EXAM } });
  const fixed = `printf '{"accuracy": 0.9}' >&3\n`;
  packing = await writeTask(join(folder, 'packing'), { task, files: { 'evaluator/score.sh': fixed } });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const sha256 = (content: string): string => createHash('sha256').update(content).digest('hex');

/** The scored part of a certificate of a model file. */
const scoredOf = ({ hash, evaluatorHash }: LoadedTask, content: string): Pick<Certificate, 'task' | 'artefacts'> => ({
  task: { name: 'exam', hash, evaluatorHash },
  artefacts: [{ path: 'model.txt', sha256: sha256(content), bytes: content.length }],
});

/** Writes a certificate by hand, as a maker without any research can. Returns its folder. */
async function writeCertificate(task: string, content: string, value: (seed: number) => number): Promise<string> {
  const scored = scoredOf(await loadTask(task), content);
  const publicSeed = publicSeedOf(scored, sha256);
  const score = value(publicSeed);
  const certificate: Certificate = {
    certificate: 1,
    ...scored,
    metric: { name: 'accuracy', direction: 'maximize', unit: null },
    research: 'r',
    trialId: 'r/1',
    candidateId: sha256('candidate'),
    seed: 1,
    value: { stored: score, again: score, public: score },
    publicSeed,
    repeatable: true,
    runtime: {
      wallSeconds: 1,
      cpuSeconds: 1,
      peakMemoryMb: 10,
      outputBytes: 0,
      mutableBytes: 0,
      artefactBytes: content.length,
      gpu: null,
    },
    at: '2026-01-01T00:00:00.000Z',
    versions: { perpetua: '0.3.0', node: 'v24' },
  };
  const out = await mkdtemp(join(folder, 'certificate-'));
  await mkdir(join(out, 'artefacts'));
  await writeFile(join(out, 'artefacts/model.txt'), content);
  await writeFile(join(out, 'certificate.json'), JSON.stringify(certificate));
  return out;
}

/** The variant of the model, padded with spaces, whose public seed gives the best accuracy. */
async function grind(): Promise<string> {
  const loaded = await loadTask(exam);
  const variants = Array.from({ length: TRIED }, (_, spaces) => MODEL + ' '.repeat(spaces));
  const scores = variants.map((content) => accuracyWith(publicSeedOf(scoredOf(loaded, content), sha256)));
  return variants[scores.indexOf(Math.max(...scores))] ?? '';
}

const verify = (out: string, task: string, ...more: string[]) =>
  run(['verify', out, '--task', task, ...more], { env: { PERPETUA_HOME: join(folder, 'home') } });

interface Compared {
  further: { values: number[]; root: number } | null;
}

test('a model that is the best of 2,000 variants for the public seed is an outlier of the further seeds', async () => {
  const out = await writeCertificate(exam, await grind(), accuracyWith);
  const { code, stdout, stderr } = await verify(out, exam);
  expect(code).toBe(0);
  expect(stderr).toMatch(/^further seed 1 of 20: 0\.\d+$/m);
  expect(stderr).toMatch(/^further seed 20 of 20: 0\.\d+$/m);
  expect(stdout).toContain('repeats, but the accuracy of its public seed is an outlier');
  expect(stdout).toMatch(
    /^20 further seeds +mean 0\.\d+ ± 0\.\d+ \(95 %\), from 0\.\d+ to 0\.\d+; derived from the public/m,
  );
  expect(stdout).toMatch(/^outlier +the public value is \d\.\d standard deviations better than this mean/m);
  expect(stdout).toMatch(/^not excluded +artefacts whose variants were tried .*--seed N with a number of your own/m);
  const numberAfter = (text: string): number => Number(stdout.split(text)[1]?.split(' ')[0]);
  expect(numberAfter('repeated now      ')).toBeGreaterThan(0.94);
  expect(Math.abs(numberAfter('further seeds  mean ') - RIGHT / BANK)).toBeLessThan(0.015);
});

test('the verifier chooses how many further seeds there are, and may give their root', async () => {
  const out = await writeCertificate(exam, MODEL, accuracyWith);
  const [first, again, other] = await Promise.all(
    ['11', '11', '12'].map((seed) => verify(out, exam, '--seeds', '3', '--seed', seed, '--json')),
  );
  const furtherOf = (ran: typeof first) => (ran?.json() as [Compared])[0].further;
  expect(furtherOf(first)).toMatchObject({ root: 11 });
  expect(furtherOf(first)?.values).toHaveLength(3);
  expect(furtherOf(again)?.values).toEqual(furtherOf(first)?.values);
  expect(furtherOf(other)?.values).not.toEqual(furtherOf(first)?.values);
  const shown = await verify(out, exam, '--seeds', '2', '--seed', '11');
  expect(shown.stdout).toMatch(/^2 further seeds +mean .*; derived from your seed 11$/m);
  expect(shown.stdout).not.toContain('not excluded');
  const none = await verify(out, exam, '--seeds', '0');
  expect(none.stdout).toMatch(/^not checked +other seeds; the maker can try variants of the artefacts/m);
  expect((await verify(out, exam, '--seeds', 'many')).stderr).toContain('Expected a whole number from 0');
});

test('an evaluator that gives each seed the same value is reported as such', async () => {
  const out = await writeCertificate(packing, MODEL, () => 0.9);
  const { code, stdout } = await verify(out, packing, '--seeds', '4');
  expect(code).toBe(0);
  expect(stdout).toContain('The certificate of r/1 holds');
  expect(stdout).toMatch(
    /^4 further seeds +all give the same value: with 95 % confidence, fewer than 52\.7 % of seeds/m,
  );
  const json = await verify(out, packing, '--seeds', '2', '--json');
  expect(json.json()).toMatchObject([{ holds: true, further: { allEqual: true, isOutlier: false, mean: 0.9 } }]);
});

test('if one of the further seeds gives no score, the error names the seed and the reason', async () => {
  const score = `case "$PERPETUA_SEED" in *[02468]) echo '{"accuracy": 1}' >&3;; *) echo odd; exit 1;; esac\n`;
  const run = { command: 'true', budget: { seconds: 5, kind: 'wall' as const }, artefacts: [{ path: 'model.txt' }] };
  const task = await writeTask(join(folder, 'fragile'), {
    task: { name: 'exam', metric: { name: 'accuracy', direction: 'maximize' }, run },
    files: { 'evaluator/score.sh': score },
  });
  const loaded = await loadTask(task);
  const even = Array.from({ length: 50 }, (_, spaces) => MODEL + ' '.repeat(spaces)).find(
    (content) => publicSeedOf(scoredOf(loaded, content), sha256) % 2 === 0,
  );
  const { code, stderr } = await verify(await writeCertificate(task, even ?? '', () => 1), task);
  expect(code).toBe(1);
  expect(stderr).toMatch(/With the further seed \d*[13579]: The evaluator of exam gave no score: .*\n?.*odd/);
});
