import { ResourceTemplate, type McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { readRecent } from '../../db/reads/read-log.ts';
import { readResearches } from '../../db/reads/read-research.ts';
import { ADDRESSES, uriOf } from '../../domain/mcp/address.ts';
import { sliceText } from '../../domain/mcp/shorten.ts';
import { isCheck } from '../../domain/research/check-id.ts';
import { withDb } from '../context.ts';
import { readAddress } from './read-address.ts';
import { quiet, type Call } from './session.ts';

/** Largest text of one resource, in characters. The tool `read` returns any text in parts. */
const MOST = 2 ** 20;
/** Researches and ended trials of each that the list of resources names. All others are read by their URI. */
const LISTED = { researches: 20, trials: 10 };

const TYPES: Partial<Record<keyof typeof ADDRESSES, string>> = { task: 'application/yaml', trial: 'application/json' };

/** Registers the texts that a client may read by URI. `callFor` makes the call of a request. */
export function registerResources(server: McpServer, callFor: (extra: { signal: AbortSignal }) => Call): void {
  const read = async (uri: URL, extra: { signal: AbortSignal }, mimeType: string) => {
    const { text, next } = sliceText(await readAddress(callFor(extra), uri.href), { offset: 0, most: MOST });
    const rest = next === null ? [] : [`Cut here: the tool read returns the rest from offset ${next}.`];
    return { contents: [text, ...rest].map((part) => ({ uri: uri.href, mimeType, text: part })) };
  };
  const description = 'How to use these tools, write a task and read verdicts';
  server.registerResource('skill', uriOf({ kind: 'skill' }), { description, mimeType: 'text/markdown' }, (uri, extra) =>
    read(uri, extra, 'text/markdown'),
  );
  for (const [kind, { template, holds }] of Object.entries(ADDRESSES)) {
    const mimeType = TYPES[kind as keyof typeof ADDRESSES] ?? 'text/plain';
    const list = kind === 'task' ? (extra: { signal: AbortSignal }) => listTexts(callFor(extra)) : undefined;
    server.registerResource(
      kind,
      new ResourceTemplate(template, { list }),
      { description: holds, mimeType },
      (uri, _, extra) => read(uri, extra, mimeType),
    );
  }
}

/** The tasks of the newest researches, and the logs of their last trials. */
const listTexts = (call: Call) =>
  withDb(quiet(call), async (db) => {
    const { sound } = await readResearches(db);
    const researches = sound.filter(({ id }) => !isCheck(id)).slice(-LISTED.researches);
    const resources: { uri: string; name: string }[] = [];
    for (const { id } of researches.reverse()) {
      resources.push({ uri: uriOf({ kind: 'task', researchId: id }), name: `task of ${id}` });
      for (const { n } of await readRecent(db, { researchId: id, limit: LISTED.trials }))
        resources.push({ uri: uriOf({ kind: 'log', researchId: id, n }), name: `output of ${id}/${n}` });
    }
    return { resources };
  });
