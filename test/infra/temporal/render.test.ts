import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { plainMarkdown } from '../../../domain/text/markdown.ts';
import { HOSTILE } from '../../domain/text/hostile-markdown.ts';
import { startTestServers, type TestServers } from '../../support/servers.ts';

let servers: TestServers;
beforeAll(async () => {
  servers = await startTestServers({ databaseUrl: 'postgres://nobody@127.0.0.1:1/none' });
});
afterAll(() => servers.stop());

/** Returns the HTML that the page of the Temporal server makes of Markdown. */
async function rendered(markdown: string): Promise<string> {
  const page = await (
    await fetch(`${servers.uiUrl}/render?${new URLSearchParams({ content: markdown }).toString()}`)
  ).text();
  return /<main>(.*?)<\/main>/s.exec(page)?.[1]?.trim() ?? '';
}

const ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  ldquo: '"',
  rdquo: '"',
  lsquo: "'",
  rsquo: "'",
  ndash: '--',
  mdash: '---',
  hellip: '...',
};
const textOf = (html: string): string => html.replace(/&(\w+);/g, (all, name: string) => ENTITIES[name] ?? all);

describe("Temporal's page", () => {
  test('renders pictures, links and tags of foreign text that is not escaped', async () => {
    const html = await rendered(HOSTILE.slice(0, 8).join('\n\n'));
    for (const tag of ['<img src=x', '<script>', '<a href=', '<img src="http']) expect(html).toContain(tag);
  });

  test.each(HOSTILE)('shows as text: %s', async (text) => {
    const html = await rendered(plainMarkdown(text));
    const [, inner] = /^<p>(.*)<\/p>$/s.exec(html) ?? [];
    expect(inner, html).toBeDefined();
    expect(inner).not.toMatch(/<\w/);
    expect(textOf(inner ?? '')).toBe(text);
  });

  test.each(HOSTILE)('keeps in its cell of a table: %s', async (text) => {
    const html = await rendered(`| a | b |\n|---|---|\n| ${plainMarkdown(text)} | end |`);
    const [, inner] = /<td>(.*)<\/td>\s*<td>end<\/td>/s.exec(html) ?? [];
    expect(inner, html).toBeDefined();
    expect(inner).not.toMatch(/<\w/);
    expect(textOf(inner ?? '')).toBe(text);
  });
});
