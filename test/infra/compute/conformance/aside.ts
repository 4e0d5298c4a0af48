import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bytes, type Bench } from './support.ts';

/** Part of the suite: what becomes of stages that were damaged and set aside. */
export function asideTests({ compute, stages, run }: Bench): void {
  const stage = (hash: string): Promise<void> => compute().stage(hash, [{ path: 'main.txt', content: bytes('x') }]);
  const aside = (hash: string): string[] =>
    readdirSync(stages()).filter((name) => name.startsWith('.damaged-') && name.endsWith(`-${hash}`));
  /** Stages it, has somebody take a file from it, and launches from that. */
  const damaged = async (hash: string): Promise<void> => {
    await stage(hash);
    rmSync(join(stages(), hash, 'files/main.txt'));
    await expect(run('true', { stageHash: hash })).rejects.toMatchObject({ name: 'StageMissingError' });
  };

  it('is one copy at most, however often the same one is damaged, and the last one', async () => {
    await damaged('scanned');
    const [first] = aside('scanned');
    await damaged('other-scanned');
    for (let n = 0; n < 2; n += 1) await damaged('scanned');
    expect(aside('other-scanned')).toHaveLength(1);
    const left = aside('scanned').filter((name) => !name.endsWith('-other-scanned'));
    expect(left).toHaveLength(1);
    expect(left).not.toEqual([first]);
  });

  it('is as well what a run is made from that is still there', async () => {
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
