import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bytes, type Bench } from './support.ts';

/** Part of the suite: damaged stages that were set aside. */
export function asideTests({ compute, stages, run }: Bench): void {
  const stage = (hash: string): Promise<void> => compute().stage(hash, [{ path: 'main.txt', content: bytes('x') }]);
  const aside = (hash: string): string[] =>
    readdirSync(stages()).filter((name) => name.startsWith('.damaged-') && name.endsWith(`-${hash}`));
  /** Stages the hash, removes a file from the stage, and launches a run from it, which sets the stage aside. */
  const damaged = async (hash: string): Promise<void> => {
    await stage(hash);
    rmSync(join(stages(), hash, 'files/main.txt'));
    await expect(run('true', { stageHash: hash })).rejects.toMatchObject({ name: 'StageMissingError' });
  };

  it('is one copy at most, the newest, however often the same stage is damaged', async () => {
    await damaged('scanned');
    const [first] = aside('scanned');
    await damaged('other-scanned');
    for (let n = 0; n < 2; n += 1) await damaged('scanned');
    expect(aside('other-scanned')).toHaveLength(1);
    const kept = aside('scanned').filter((name) => !name.endsWith('-other-scanned'));
    expect(kept).toHaveLength(1);
    expect(kept).not.toEqual([first]);
  });

  it('includes each copy that an existing run was made from', async () => {
    await stage('used');
    const { spec } = await run('true', { stageHash: 'used' });
    await damaged('used');
    const [made] = aside('used');
    for (let n = 0; n < 2; n += 1) await damaged('used');
    expect(aside('used')).toHaveLength(2);
    expect(aside('used')).toContain(made);
    await compute().remove(spec);
    await damaged('used');
    expect(aside('used')).toHaveLength(1);
  });
}
