import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openReceiver } from '../receiver.ts';
import { openSmtp } from '../smtp.ts';
import type { TestStack } from '../stack.ts';

/** The webhook's key, the end of a chat's URL, a mail account's password, and the end of a URL without a server. */
const SECRETS = {
  key: 'hmac-key-of-the-hook',
  token: 'tokenOfTheChat4711',
  password: 'password-of-the-mail',
  lost: 'tokenOfNobody0815',
};

export interface RefusingSinks {
  /** Sinks of a notify.yaml. */
  sinks: { name: string; type: string }[];
  /** Places in which a secret was found, among rows of the database, the worker's log and these texts. */
  findSecrets: (texts: Record<string, string>) => Promise<string[]>;
  close: () => Promise<void>;
}

/** Opens servers that refuse each message with an answer that repeats the secret, and their sinks. */
export async function openRefusingSinks(stack: TestStack): Promise<RefusingSinks> {
  const path = `/services/T0/B0/${SECRETS.token}`;
  const hook = await openReceiver();
  hook.answer = { status: 401, body: `wrong key ${SECRETS.key}` };
  const chat = await openReceiver();
  chat.answer = { status: 401, body: `no service ${path}, unknown token ${SECRETS.token}` };
  const smtp = await openSmtp({ refuseLogin: true });
  const placeOf = async (name: string, secret: string): Promise<string> => {
    const file = join(stack.home, `${name}.secret`);
    await writeFile(file, secret, { mode: 0o600 });
    return `file:${file}`;
  };
  const common = { soonMinutes: 0, send: ['soon'] };
  const web = { ...common, allowPrivate: true };
  const account = { host: '127.0.0.1', port: smtp.port, security: 'none', user: 'me' };
  const sinks = [
    { ...web, name: 'hook', type: 'webhook', url: hook.url, key: await placeOf('key', SECRETS.key) },
    { ...web, name: 'chat', type: 'slack', url: await placeOf('chat', `${chat.url}${path}`) },
    { ...web, name: 'lost', type: 'discord', url: await placeOf('lost', `http://127.0.0.1:1/${SECRETS.lost}`) },
    {
      ...common,
      ...account,
      name: 'mail',
      type: 'email',
      password: await placeOf('password', SECRETS.password),
      from: 'a@example.com',
      to: ['b@example.com'],
    },
  ];
  return {
    sinks,
    findSecrets: async (texts) => {
      const log = await readFile(stack.logFile, 'utf8');
      const all = Object.entries({ ...(await readTables(stack)), 'the log of the worker': log, ...texts });
      return all.filter(([, text]) => formsOfSecrets().some((form) => text.includes(form))).map(([place]) => place);
    },
    close: async () => {
      await Promise.all([hook, chat, smtp].map((server) => server.close()));
    },
  };
}

/** The secrets as they are, and as a mail client sends them. */
const formsOfSecrets = (): string[] => [
  ...Object.values(SECRETS),
  Buffer.from(SECRETS.password).toString('base64'),
  Buffer.from(`\0me\0${SECRETS.password}`).toString('base64'),
];

/** The text of all rows, by table. */
async function readTables({ query }: TestStack): Promise<Record<string, string>> {
  const tables = await query<{ name: string }>(`select tablename as name from pg_tables where schemaname = 'public'`);
  const texts: Record<string, string> = {};
  for (const { name } of tables) {
    const rows = await query<{ text: string }>(`select t::text as text from "${name}" t`);
    texts[`the table ${name}`] = rows.map(({ text }) => text).join(' ');
  }
  return texts;
}
