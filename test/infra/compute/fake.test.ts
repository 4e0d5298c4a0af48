import { describe, expect, it } from 'vitest';
import { createFakeCompute } from '../../../infra/compute/fake.ts';
import { testCompute } from './conformance.ts';
import { followToEnd, LIMITS, specOf } from './conformance/support.ts';

const seconds = (command: string): number => Number(/^sleep ([\d.]+)/.exec(command)?.[1] ?? 0);

testCompute({
  name: 'the fake host',
  create: async () => createFakeCompute({ host: 'fake', script: (spec) => ({ seconds: seconds(spec.command) }) }),
  skip: {
    processes: 'it starts none',
    files: 'it writes none',
    limits: 'it enforces only the wall clock, tested below',
    waiting: 'it computes nothing',
    containment: 'it starts no process',
    converse: 'its answers are scripted, tested below',
    setup: 'it runs no command',
    stage: 'it keeps no files',
    sandbox: 'it starts no process',
  },
});

describe('a simulated run', () => {
  const compute = createFakeCompute({
    host: 'fake',
    script: () => ({
      seconds: 0.2,
      lines: ['a', 'b'],
      exitCode: 3,
      artefacts: [{ path: 'x', content: Buffer.from('y') }],
    }),
    answer: (chunk) => Buffer.from(chunk).reverse(),
  });

  it('prints its lines over its time and leaves its artefacts', async () => {
    await compute.stage('stage1', []);
    const spec = specOf('anything');
    await compute.launch(spec);
    const { text, end } = await followToEnd(compute, spec);
    expect(text).toBe('a\nb\n');
    expect(end).toMatchObject({ reason: 'exit', exitCode: 3 });
    expect(end.wallSeconds).toBeGreaterThan(0.15);
    const wanted = ['x', 'z'].map((path) => ({ path, maxBytes: 10 }));
    expect(await compute.collect(spec, { artefacts: wanted })).toMatchObject({
      artefacts: [{ path: 'x' }],
      missing: ['z'],
      tooLarge: [],
    });
    const talk = await compute.converse(spec);
    await talk.write(Buffer.from('abc'));
    const answers = talk.output[Symbol.asyncIterator]();
    expect(Buffer.from((await answers.next()).value as Uint8Array).toString()).toBe('cba');
    talk.end();
    expect((await answers.next()).done).toBe(true);
  });

  it('ends at its wall limit', async () => {
    const spec = specOf('anything', { limits: { ...LIMITS, wallSeconds: 0.05 } });
    await compute.launch(spec);
    expect((await followToEnd(compute, spec)).end).toMatchObject({ reason: 'wall', exitCode: null });
  });
});
