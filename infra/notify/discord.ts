import { plainMarkdown } from '../../domain/text/markdown.ts';
import type { SinkOf } from '../../domain/notify/sink.ts';
import { parseUrl, post } from './post.ts';
import { readSecret } from './read-secret.ts';
import type { SinkAdapter } from './sink-adapter.ts';

/** Longest content that Discord takes, in characters. */
const LONGEST = 2000;
/** Flag of a message: no previews of links. */
const SUPPRESS_EMBEDS = 4;

/** Posts a message to a webhook of Discord. Nothing in it is formatted, linked or mentions anybody. */
export const discord: SinkAdapter<SinkOf<'discord'>> = async ({ url: place, allowPrivate }, notice, { env }) => {
  const secret = await readSecret(place, env);
  const url = parseUrl(secret);
  const body = JSON.stringify({
    content: contentOf([notice.title, ...notice.lines, ...notice.commands].map(plainMarkdown)),
    allowed_mentions: { parse: [] },
    flags: SUPPRESS_EMBEDS,
  });
  const headers = { 'x-perpetua-id': notice.id };
  return {
    shown: [`POST ${place}`, `x-perpetua-id: ${notice.id}`, body],
    secrets: [secret],
    send: (signal) => post({ url, headers, body, allowPrivate, secrets: [secret], env, signal }),
  };
};

/** Whole lines, as many as fit with the mark of a cut: a cut within a line could leave half an escape. */
function contentOf(lines: readonly string[]): string {
  let content = '';
  for (const line of lines) {
    if (content.length + line.length + 3 > LONGEST) return `${content}\n…`;
    content += content === '' ? line : `\n${line}`;
  }
  return content;
}
