import type { Config } from '../../config/load.ts';
import { offeredModels } from '../../config/has-model.ts';
import { GEMINI } from '../../domain/gateway/protocols/gemini.ts';
import { MESSAGES } from '../../domain/gateway/protocols/messages.ts';
import { readEndpoints } from '../../infra/gateway/endpoints.ts';
import { trustedCertificates } from '../../infra/network/certificates.ts';
import { completionsUrl, readBaseUrl } from '../../infra/llm/endpoint.ts';
import { proxyFor } from '../../infra/network/proxy.ts';
import { type Finding, ok, reasonOf, remark } from './finding.ts';

/** An address that stands for all downloads. */
const DOWNLOADS = 'https://github.com';

/** Checks which proxy of this shell's environment is used for what, and the file of certificates that it names. */
export function checkProxy(config: Config): Finding {
  try {
    trustedCertificates(config.env);
    return ok('proxy', describeProxies(config));
  } catch (error) {
    return remark('proxy', reasonOf(error), 'requests over HTTPS or through this proxy fail until you correct it');
  }
}

function describeProxies(config: Config): string {
  const { env, openai, trainer } = config;
  const endpoint = readBaseUrl(openai.baseUrl);
  const endpoints = readEndpoints(config);
  const uses: [string, URL][] = [];
  if (offeredModels(config).openai !== undefined)
    uses.push([`model endpoint ${endpoint.shown}`, completionsUrl(endpoint)]);
  for (const rule of [MESSAGES, GEMINI]) {
    const found = endpoints[rule.name];
    if (found !== null) uses.push([`${rule.title} ${found.shown}`, new URL(found.baseUrl)]);
  }
  if (trainer.endpoint !== null) uses.push([`policy server ${trainer.endpoint.url}`, new URL(trainer.endpoint.url)]);
  uses.push(['downloads', new URL(DOWNLOADS)]);
  const ways = uses.map(([what, url]) => {
    const proxy = proxyFor(url, env);
    return { what, way: proxy === null ? 'direct' : `through ${proxy.shown} (${proxy.variable})` };
  });
  const file = env.SSL_CERT_FILE ? `; certificates of ${env.SSL_CERT_FILE} are trusted, too` : '';
  if (ways.every(({ way }) => way === 'direct') && !isAnySet(env)) return `none is set${file}`;
  const texts = ways.map(({ what, way }) => `${what}: ${way}`);
  return `${texts.join('; ')}; addresses of this machine: direct${file}`;
}

const isAnySet = (env: Config['env']): boolean => Object.keys(env).some((name) => /^(?:https?|all)_proxy$/i.test(name));
