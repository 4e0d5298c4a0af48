import { beforeAll, describe, expect, it } from 'vitest';
import { eq } from 'drizzle-orm';
import { trials } from '../../db/schema.ts';
import { insertStory, WINNER } from './support/lineage.ts';
import { sharedServer, type Server } from './support/database.ts';
import { runOn } from './support/cli.ts';

let server: Server;

beforeAll(() => {
  server = sharedServer();
});

describe('a score that the candidate could have written itself', () => {
  it('is marked untrusted by status, best, log and show, in text and in JSON', async () => {
    const doubtful = await server.open();
    await insertStory(doubtful.db, 'toy');
    await doubtful.db.update(trials).set({ trusted: false }).where(eq(trials.candidateId, WINNER));
    const out = async (...argv: string[]): Promise<string> => (await runOn(doubtful.url, argv)).stdout;
    expect(await out('status')).toMatch(/best +1\.50 bits untrusted {2}toy\/4/);
    expect(await out('status')).toMatch(/baseline +2\.20 bits {2}sd/);
    expect(await out('best')).toMatch(/best +1\.50 bits untrusted {2}toy\/4/);
    expect(await out('log')).toMatch(/#4 .* 1\.500 bits untrusted /);
    expect(await out('show', '4')).toContain('untrusted: the candidate could have written its own score');
    const marked = { best: { trusted: false }, baseline: { trusted: true } };
    expect((await runOn(doubtful.url, ['status', '--json'])).json()).toMatchObject([marked]);
    expect((await runOn(doubtful.url, ['best', '--json'])).json()).toMatchObject([{ trusted: false }]);
    await doubtful.close();
  });
});
