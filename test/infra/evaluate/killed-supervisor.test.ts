import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { type Confinement, confinements } from '../../../infra/compute/run-protocol/confinement/confinement.ts';
import { isIsolated } from '../../../domain/fault/is-isolated.ts';
import { HostError } from '../../../infra/compute.ts';
import { createLocalCompute } from '../../../infra/compute/local.ts';
import { createEvaluator } from '../../../infra/evaluate/create-evaluator.ts';
import { bytes, followToEnd, never, specOf } from '../compute/conformance/support.ts';
import { RUNTIME } from './runtime.ts';

const probed = vi.hoisted((): { confinement?: unknown } => ({}));
vi.mock(import('../../../infra/compute/local/probe.ts'), () => ({
  probe: () => Promise.resolve(probed.confinement as Confinement),
}));

const base = mkdtempSync(join(tmpdir(), 'perpetua-killed-supervisor-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Pid of the supervisor of the only conversation with the only run of a home. */
function supervisorIn(home: string): number {
  const runs = join(home, 'runs', 'i');
  const attempt = join(runs, readdirSync(runs)[0] ?? '', '5');
  const [talk = ''] = readdirSync(attempt).filter((name) => name.startsWith('talk-'));
  return Number(readFileSync(join(attempt, talk, 'ctl/claim/owner'), 'utf8').split(' ')[0]);
}

/** Evaluates a program whose supervisor gets a signal after its first answer; returns the result and the end. */
async function ask(confinement: Confinement, signal: NodeJS.Signals) {
  probed.confinement = confinement;
  const home = mkdtempSync(join(base, 'home-'));
  const compute = createLocalCompute({ home, installation: 'i' });
  await compute.stage('stage1', [{ path: 'main.txt', content: bytes('x') }]);
  const spec = specOf('true');
  await compute.launch(spec);
  await followToEnd(compute, spec);
  const talk = await compute.converse({ ...spec, command: 'read -r n; echo one; sleep 4860' });
  const killing = async function* () {
    for await (const chunk of talk.output) {
      yield chunk;
      process.kill(supervisorIn(home), signal);
    }
  };
  const evaluated = createEvaluator({ home }).evaluate(
    {
      files: [],
      command: 'echo 1; read -r line; read -r line || exit 3',
      timeoutSeconds: 12,
      seed: 1,
      artefacts: [],
      runtime: RUNTIME,
      conversation: { ...talk, output: killing() },
      limits: { roundSeconds: 6, lineBytes: 1000, totalBytes: 1000 },
    },
    never,
  );
  const settled = async (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);
  return { result: await settled(evaluated), end: await settled(talk.ended) };
}

const isRoot = process.getuid?.() === 0;

describe('an evaluation whose answering program lost its supervisor', () => {
  it.each(
    confinements(isRoot, true)
      .filter(isIsolated)
      .flatMap((confinement) =>
        (['SIGKILL', 'SIGTERM'] as const).map((signal) => ({ ...confinement, confinement, signal })),
      ),
  )('fails by its host in $containment (sandboxed: $sandboxed, $signal)', async ({ confinement, signal }) => {
    expect((await ask(confinement, signal)).result).toMatchObject({ name: 'HostUnusableError' });
  });

  it.each(confinements(isRoot, true).filter((confinement) => !isIsolated(confinement)))(
    'leaves the verdict to the evaluator in a $containment alone, which may hide the end or its cause',
    async (confinement) => {
      const killed = await ask(confinement, 'SIGKILL');
      expect(killed.result).toMatchObject({ ok: false, failure: { label: 'candidate-protocol' } });
      expect(killed.end).toBeInstanceOf(Error);
      expect(killed.end).not.toBeInstanceOf(HostError);
      const { result, end } = await ask(confinement, 'SIGTERM');
      expect(result).toMatchObject({ ok: false, failure: { label: 'candidate-protocol' } });
      expect(end).toMatchObject({ reason: 'killed', containment: confinement.containment });
      expect(end).not.toHaveProperty('endedBy');
    },
  );
});
