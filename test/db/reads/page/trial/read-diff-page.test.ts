import { expect, test } from 'vitest';
import { seedResearch } from '../../../../../bench/support/seed/seed-research.ts';
import { Diff } from '../../../../../dashboard/api/trials/diff.ts';
import { fileDiffs } from '../../../../../db/reads/diff/file-diffs.ts';
import { readCandidateFiles } from '../../../../../db/reads/read-files.ts';
import { readTrial } from '../../../../../db/reads/read-trial.ts';
import { readDiffPage } from '../../../../../db/reads/page/trial/read-diff-page.ts';
import { useReader } from '../support.ts';

const bench = useReader(async (db) => {
  await seedResearch(db, { id: 'toy', trials: 120 });
  await seedResearch(db, { id: 'wild', trials: 40, hostile: true });
});

const filesOf = async (trialId: string) => {
  const found = await readTrial(bench.db, { trialId });
  return (await readCandidateFiles(bench.db, { candidateId: found?.trial.candidateId ?? '' })) ?? {};
};

test('a comparison has the hunks of the command, and matches the contract', async () => {
  const page = await readDiffPage(bench.reader, { trialId: 'toy/12', against: 'baseline' });
  const files = fileDiffs(await filesOf('toy/1'), await filesOf('toy/12'));
  expect(files.length).toBeGreaterThan(0);
  expect(page).toMatchObject({ against: 'the unmodified workspace', nothing: null, cut: false });
  expect(page?.files.map(({ hunks }) => hunks.map(({ lines }) => lines))).toEqual(
    files.map(({ hunks }) => hunks.map(({ lines }) => lines)),
  );
  expect(Diff.parse(page)).toEqual(page);
});

test('two trials are compared, even of two researches', async () => {
  const page = await readDiffPage(bench.reader, { trialId: 'toy/12', against: 'parent', other: 'wild/20' });
  expect(page?.against).toBe('wild/20');
  expect(page?.files.length).toBeGreaterThan(0);
});

test('a candidate with a line of a megabyte is shown shortened', async () => {
  const others = Array.from({ length: 30 }, (_, index) => `wild/${index + 11}`);
  const pages = await Promise.all(
    others.map((trialId) => readDiffPage(bench.reader, { trialId, against: 'baseline' })),
  );
  expect(pages.some((page) => page?.cut)).toBe(true);
  for (const page of pages) expect(JSON.stringify(page).length).toBeLessThan(100_000);
});

test('an unknown trial has no comparison on either side', async () => {
  expect(await readDiffPage(bench.reader, { trialId: 'toy/100000', against: 'parent' })).toBeUndefined();
  expect(
    await readDiffPage(bench.reader, { trialId: 'toy/12', against: 'parent', other: 'toy/100000' }),
  ).toBeUndefined();
});
