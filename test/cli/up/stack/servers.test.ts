import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import type { StackEvent } from '../../../../cli/up/events.ts';
import { startOwnPostgres, USUAL_PORTS } from '../../../../cli/up/stack/servers.ts';
import { loadConfig } from '../../../../config/load.ts';
import { SHARED_ROOT } from '../../../../infra/postgres/data-folder.ts';
import { throwawayHome } from '../../../support/servers.ts';

test('a usual port that another program has is reported, with the port that replaces it', async () => {
  const other = createServer().listen(USUAL_PORTS.postgres, '127.0.0.1');
  // Another program that already has the port serves the test as well.
  await once(other, 'listening').catch(() => undefined);
  const home = await throwawayHome();
  const config = loadConfig({ PATH: process.env.PATH, PERPETUA_HOME: home });
  const events: StackEvent[] = [];
  const start = async () => {
    events.length = 0;
    return startOwnPostgres({ config, before: null, onEvent: (event) => events.push(event) });
  };
  let postgres = await start();
  // Retries if that program was a stack of another test, which has freed the port meanwhile.
  for (let tries = 0; tries < 5 && postgres?.port === USUAL_PORTS.postgres; tries += 1) {
    await postgres.stop();
    if (!other.listening)
      await once(other.listen(USUAL_PORTS.postgres, '127.0.0.1'), 'listening').catch(() => undefined);
    postgres = await start();
  }
  expect(events.filter(({ type }) => type === 'warning').map(({ text }) => text)).toEqual([
    `port ${USUAL_PORTS.postgres} is taken by another program: Postgres is on ${postgres?.port}`,
  ]);
  await postgres?.stop();
  other.close();
  if (postgres && dirname(dirname(postgres.dataDir)) === SHARED_ROOT)
    await rm(dirname(postgres.dataDir), { recursive: true });
  await rm(home, { recursive: true });
});
