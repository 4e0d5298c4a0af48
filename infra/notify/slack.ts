import type { SinkOf } from '../../domain/notify/sink.ts';
import { parseUrl, post } from './post.ts';
import { readSecret } from './read-secret.ts';
import type { SinkAdapter } from './sink-adapter.ts';

/** Text for Slack, which gives `&`, `<` and `>` a meaning: links, and mentions of everybody. */
const escapeSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Posts a message to an incoming webhook of Slack, as plain text. */
export const slack: SinkAdapter<SinkOf<'slack'>> = async ({ url: place, allowPrivate }, notice, { env }) => {
  const secret = await readSecret(place, env);
  const url = parseUrl(secret);
  const text = [notice.title, ...notice.lines, ...notice.commands].map(escapeSlack).join('\n');
  const body = JSON.stringify({
    text,
    mrkdwn: false,
    parse: 'none',
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
  });
  const headers = { 'x-perpetua-id': notice.id };
  return {
    shown: [`POST ${place}`, `x-perpetua-id: ${notice.id}`, body],
    secrets: [secret],
    send: (signal) => post({ url, headers, body, allowPrivate, secrets: [secret], env, signal }),
  };
};
