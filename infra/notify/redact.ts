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

/** Path and query of a secret URL: errors and answers may repeat them without the host. */
function partsOfUrl(secret: string): string[] {
  if (!URL.canParse(secret)) return [];
  const { href, pathname, search, username, password } = new URL(secret);
  return [href, pathname + search, pathname, search, username, password].filter(({ length }) => length > 4);
}
