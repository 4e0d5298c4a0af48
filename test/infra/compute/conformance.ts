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
import { shortTmpTests } from './conformance/short-tmp.ts';
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
  shortTmp: ['the temporary folder without a sandbox', shortTmpTests],
} as const;

/** Reason why an adapter skips the tests of a part: all of them, or all but those named in `but`. */
export type Skip = string | { reason: string; but: readonly string[] };

export interface Conformance {
  name: string;
  create: () => Promise<Compute>;
  /**
   * Folder of the host's stages, once the host exists; needed by `stage`, `aside`, `sandbox` and `shortTmp`.
   * Runs of the host may read the folder around its scratch folder.
   */
  stages?: () => string;
  /** Counts round trips to a remote host, see {@link Bench}. */
  roundTrips?: () => number;
  /** Parts that this adapter skips, with the reason, by the name of the part. */
  skip?: Partial<Record<keyof typeof PARTS, Skip>>;
  destroy?: () => Promise<void>;
}

/** Declares the tests that every adapter of Compute must pass. */
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
      const skipped = skip[part as keyof typeof PARTS];
      if (typeof skipped === 'string') describe.skip(`${title} (${skipped})`, () => tests(bench));
      else
        describe(title, () => {
          if (skipped) runOnly(skipped);
          tests(bench);
        });
    }
  });
}

/** Skips all tests of the enclosing suite except those named in `but`. */
function runOnly({ reason, but }: Exclude<Skip, string>): void {
  // A name in `but` that no test has would skip the test that was meant.
  beforeAll(({}, { tasks }) => expect(tasks.map(({ name }) => name)).toEqual(expect.arrayContaining([...but])));
  beforeEach(({ task, skip }) => skip(!but.includes(task.name), reason));
}
