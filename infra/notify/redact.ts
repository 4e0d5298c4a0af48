import { oneLine } from '../../domain/text/sanitize.ts';
import { LONGEST_ANSWER } from './sink-adapter.ts';

/** A foreign text in one short line, without the secrets and their parts that a URL shows. */
export function redact(text: string, secrets: readonly string[]): string {
  let shown = oneLine(text);
  const parts = secrets.flatMap((secret) => [secret, encodeURIComponent(secret), ...partsOfUrl(secret)]);
  for (const part of parts.filter(({ length }) => length >= 4).sort((a, b) => b.length - a.length))
    shown = shown.replaceAll(part, '[secret]');
  return shown.length <= LONGEST_ANSWER ? shown : `${shown.slice(0, LONGEST_ANSWER)}…`;
}

/** Shortest piece of a path or a query that may be a token: shorter ones are common words, such as `services`. */
const SHORTEST_TOKEN = 9;

/** Parts of a secret URL: errors and answers may repeat them without the host, or the token alone. */
function partsOfUrl(secret: string): string[] {
  if (!URL.canParse(secret)) return [];
  const { href, pathname, search, searchParams, username, password } = new URL(secret);
  const parts = [href, pathname + search, pathname, search, username, password].filter(({ length }) => length > 4);
  const tokens = [...pathname.split('/'), ...searchParams.values()].filter(({ length }) => length >= SHORTEST_TOKEN);
  return [...parts, ...tokens, ...tokens.map(encodeURIComponent), ...[...parts, ...tokens].map(decode)];
}

/** A part of a URL without its percent-encoding; the part itself if that is malformed. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
