import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { noChromium, useBrowser } from './browser.ts';

const browser = useBrowser();
let server: Server;
let origin = '';

const page = (body: string): string => `<!doctype html><title>t</title><link rel="icon" href="data:,">${body}`;
const PAGES: Record<string, string> = {
  '/good': page('<h1 id="words">Words</h1>'),
  '/inline': page('<script>window.ran = true</script>'),
  '/handler': page('<img src="data:image/png,none" onerror="window.ran = true">'),
  '/elsewhere': page('<img src="http://example.org/pixel.png">'),
  '/missing': page('<img src="/nothing.png">'),
  '/throws': page('<script src="/throws.js"></script>'),
  '/throws.js': `setTimeout(() => { throw new Error('thrown'); }, 0);`,
  '/asks': page('<script src="/asks.js"></script>'),
  '/asks.js': `alert('asked')`,
};

beforeAll(async () => {
  server = createServer((request, response) => {
    const body = PAGES[request.url ?? ''];
    const type = request.url?.endsWith('.js') ? 'text/javascript' : 'text/html; charset=utf-8';
    response.writeHead(body === undefined ? 404 : 200, {
      'content-type': type,
      'content-security-policy': "default-src 'self'; img-src 'self' data: http://example.org",
    });
    response.end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

const skipped = noChromium ?? '';

it.skipIf(noChromium !== undefined)(`a page that does nothing wrong has no fault, and a font ${skipped}`, async () => {
  const { page, faults } = await browser.open(origin);
  await page.goto(`${origin}/good`);
  expect(await page.textContent('#words')).toBe('Words');
  const wide = await page.evaluate('document.createElement("canvas").getContext("2d").measureText("MMMM").width');
  expect(wide).toBeGreaterThan(20);
  expect(faults).toEqual([]);
});

it.skipIf(noChromium !== undefined).each([
  ['/inline', /refused by the content security policy: script-src/],
  ['/handler', /refused by the content security policy: script-src/],
  ['/elsewhere', /request to http:\/\/example\.org\/pixel\.png/],
  ['/missing', /console: .*404/],
  ['/throws', /not caught: thrown/],
  ['/asks', /dialog: asked/],
])(`a fault of the page %s is found ${skipped}`, async (path, fault) => {
  const { page, faults, forgive } = await browser.open(origin);
  await page.goto(origin + path);
  await expect.poll(() => faults.find((one) => fault.test(one))).toBeDefined();
  expect(await page.evaluate('window.ran')).toBeUndefined();
  forgive(/./);
});
