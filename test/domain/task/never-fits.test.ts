import { expect, test } from 'vitest';
import { neverFits } from '../../../domain/task/never-fits.ts';
import { TASK } from '../../cli/support/lineage.ts';

const wanting = (diskMb: number) => ({
  ...TASK,
  run: { ...TASK.run, resources: { ...TASK.run.resources, diskMb } },
});

test.each([
  [488, 1000, null],
  [489, 1000, /^run\.resources\.diskMb: expected at most 488 .*, came 489; lower it, or put PERPETUA_HOME on a larger/],
  [1, 300, /expected at most 0 \(the disk of the runs has 300 MiB in all/],
  [1_000_000, null, null],
])('a run that may take %i MiB of a disk of %s', (diskMb, size, said) => {
  const problem = neverFits(wanting(diskMb), size);
  if (said === null) expect(problem).toBeNull();
  else expect(problem).toMatch(said);
});
