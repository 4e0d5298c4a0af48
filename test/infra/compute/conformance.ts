import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest';
import type { Compute } from '../../../infra/compute.ts';
import { asideTests } from './conformance/aside.ts';
import { containmentTests } from './conformance/containment.ts';
import { converseTests } from './conformance/converse.ts';
import { filesTests } from './conformance/files.ts';
import { lifeTests } from './conformance/life.ts';
import { limitsTests } from './conformance/limits.ts';
import { ownFoldersTests } from './conformance/own-folders.ts';
import { processTests } from './conformance/process.ts';
import { sandboxTests } from './conformance/sandbox.ts';
import { setupTests } from './conformance/setup.ts';
import { stageTests } from './conformance/stage.ts';
import { streamsTests } from './conformance/streams.ts';
import { waitingTests } from './conformance/waiting.ts';
import { bytes, followToEnd, specOf, type Bench } from './conformance/support.ts';

const PARTS = {
  life: ['the life of a run', lifeTests],
  processes: ['a real process', processTests],
  files: ['what a run leaves', filesTests],
  streams: ['the two streams of a run', streamsTests],
  limits: ['a limit', limitsTests],
  waiting: ['the time that a run waits for a CPU', waitingTests],
  converse: ['a conversation', converseTests],
  setup: ['the setup of a stage', setupTests],
  stage: ['a stage that was damaged', stageTests],
  aside: ['what is kept of damaged stages', asideTests],
  containment: ['containment', containmentTests],
  sandbox: ['a sandbox', sandboxTests],
  ownFolders: ["a task's own folders", ownFoldersTests],
} as const;

/** Why tests of a part make no sense for an adapter: all of them, or all but those of these names. */
export type Skip = string | { reason: string; but: readonly string[] };

export interface Conformance {
  name: string;
  create: () => Promise<Compute>;
  /** Folder of its stages, once it is made; its runs may read what lies around its scratch folder: for `stage`, `aside`, `sandbox`. */
  stages?: () => string;
  /** Of a host that is far away, see {@link Bench}. */
  roundTrips?: () => number;
  /** What this adapter leaves out, by the name of the part. */
  skip?: Partial<Record<keyof typeof PARTS, Skip>>;
  destroy?: () => Promise<void>;
}

/** What every adapter of Compute must do. */
export function testCompute({ name, create, stages = () => '', roundTrips, skip = {}, destroy }: Conformance): void {
  describe(name, () => {
    let compute: Compute;
    beforeAll(async () => {
      compute = await create();
      await compute.stage('stage1', [
        { path: 'main.txt', content: bytes('original') },
        { path: 'fixed/data.txt', content: bytes('fixed') },
        { path: 'tool', content: bytes('#!/bin/sh\necho from tool\n'), executable: true },
      ]);
    });
    afterAll(() => destroy?.());
    const bench: Bench = {
      compute: () => compute,
      stages,
      roundTrips,
      run: async (command, more) => {
        const spec = specOf(command, more);
        await compute.launch(spec);
        return { spec, ...(await followToEnd(compute, spec)) };
      },
    };
    for (const [part, [title, tests]] of Object.entries(PARTS)) {
      const left = skip[part as keyof typeof PARTS];
      if (typeof left === 'string') describe.skip(`${title} (${left})`, () => tests(bench));
      else
        describe(title, () => {
          if (left) runOnly(left);
          tests(bench);
        });
    }
  });
}

/** Skips what the suite around has, but these. */
function runOnly({ reason, but }: Exclude<Skip, string>): void {
  // A test that was renamed would be skipped.
  beforeAll(({}, { tasks }) => expect(tasks.map(({ name }) => name)).toEqual(expect.arrayContaining([...but])));
  beforeEach(({ task, skip }) => skip(!but.includes(task.name), reason));
}
