import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createLocalCompute } from '../../../../infra/compute/local.ts';
import { layoutOf, runDirectory } from '../../../../infra/compute/run-protocol/paths.ts';
import { runUntilKilled } from '../../../support/process/run-until-killed.ts';
import { bytes, followToEnd, specOf, eventsOf } from '../conformance/support.ts';

const home = mkdtempSync(join(tmpdir(), 'perpetua-half-removed-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const installation = 'half-removed-tests';
const compute = createLocalCompute({ home, installation });

/** Commands that remove one half of a run directory. The files about the state of the run lie outside `work`. */
const HALVES = {
  'the output of the run': 'find "$3" -depth -path "*/work/*" -delete',
  'the state of the run': 'find "$3" -depth -type f ! -path "*/work/*" -delete',
};

test.each(Object.entries(HALVES))(
  'if a worker dies after it has removed %s, the next worker removes the rest of the directory',
  async (_, shellScript) => {
    await compute.stage('stage1', [{ path: 'main.txt', content: bytes('x') }]);
    const spec = specOf('echo made > made.txt');
    await compute.launch(spec);
    await followToEnd(compute, spec);
    const { jobId, placement } = spec;
    const died = runUntilKilled({
      bin: join(home, 'bin-of-death'),
      program: 'rm',
      shellScript,
      module: 'infra/compute/local.js',
      code:
        'const [home, installation, run] = args; ' +
        'await exports.createLocalCompute({ home, installation }).remove(JSON.parse(run));',
      args: [home, installation, JSON.stringify({ jobId, placement })],
    });
    expect(died).toEqual({ signal: 'SIGKILL', stderr: '' });
    const directory = runDirectory(layoutOf(home, installation), spec);
    expect(readdirSync(directory)).not.toEqual([]);
    // Following the run ends, and the run does not count as running.
    const types: string[] = [];
    for await (const event of eventsOf(compute, spec)) types.push(event.type);
    expect(['ended', 'lost']).toContain(types.at(-1));
    expect((await compute.inspect(spec)).state).not.toBe('running');
    await compute.remove(spec);
    expect((await compute.inspect(spec)).state).toBe('absent');
    // A further placement of the job starts from scratch.
    await compute.launch({ ...spec, placement: 1, fence: 6 });
    expect((await followToEnd(compute, { ...spec, placement: 1, fence: 6 })).end).toMatchObject({ exitCode: 0 });
  },
);
