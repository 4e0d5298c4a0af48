import { afterAll, beforeAll, expect, it } from 'vitest';
import { readDiff } from '../../../../db/reads/diff/read-diff.ts';
import { readResearch } from '../../../../db/reads/read-research.ts';
import { readTrial } from '../../../../db/reads/read-trial.ts';
import type { Against } from '../../../../view/trial/diff.ts';
import { sharedServer, type Lineage } from '../../../cli/support/database.ts';
import { BASELINE, insertStory, WINNER } from '../../../cli/support/lineage.ts';

let story: Lineage;

beforeAll(async () => {
  story = await sharedServer().open();
  await insertStory(story.db, 'toy');
});
afterAll(() => story.close());

async function trialOf(n: number) {
  const found = await readTrial(story.db, { trialId: `toy/${n}` });
  if (!found) throw new Error(`Expected trial toy/${n}, found none`);
  return found.trial;
}

async function diffOf(n: number, against: Against, other?: number) {
  const research = await readResearch(story.db, { researchId: 'toy' });
  if (!research) throw new Error('Expected the research toy, found none');
  const given = other === undefined ? {} : { other: await trialOf(other) };
  return readDiff(story.db, { trial: await trialOf(n), research, against, ...given });
}

it('a trial is compared with its parent, or with the unmodified version', async () => {
  for (const against of ['parent', 'baseline'] as const) {
    const read = await diffOf(4, against);
    expect(read).toMatchObject({ candidateId: WINNER, from: BASELINE, nothing: null });
    expect(read.files.map(({ path, added, removed }) => [path, added, removed])).toEqual([['train.mjs', 1, 1]]);
  }
});

it('a trial is compared with another one by its id', async () => {
  const read = await diffOf(1, 'parent', 4);
  expect(read).toMatchObject({ from: WINNER, against: 'toy/4', nothing: null });
  expect(read.files[0]?.hunks[0]?.lines).toEqual(['-const LR = 0.05;', '+const LR = 0.1;']);
});

it('an empty diff has its reason', async () => {
  expect((await diffOf(1, 'parent')).nothing).toBe('toy/1 runs the unmodified workspace, so it changed nothing');
  expect((await diffOf(4, 'best')).nothing).toBe('toy/4 is the same as the best so far');
  expect((await diffOf(4, 'parent', 4)).nothing).toBe('toy/4 is the same as toy/4');
});

it('a trial without a candidate has no diff on either side', async () => {
  expect(await diffOf(6, 'best')).toMatchObject({ candidateId: null, nothing: 'toy/6 has no candidate yet' });
  expect(await diffOf(4, 'parent', 6)).toMatchObject({ files: [], nothing: 'toy/6 has no candidate yet' });
});
