import { z } from 'zod';
import { ADDRESSES } from '../../../domain/mcp/address.ts';
import { sliceText } from '../../../domain/mcp/shorten.ts';
import { readAddress } from '../read-address.ts';
import { tool, type Tool } from './tool.ts';

const KNOWN = Object.values(ADDRESSES).map(({ template, holds }) => `${template} (${holds})`);

/** For clients that do not read resources, and for long texts in parts. */
export const READ: Tool = tool({
  name: 'read',
  title: 'Read a file or a log',
  description: `Returns a text by its URI, in parts: ${KNOWN.join('; ')}; perpetua://skill (how to use these tools).`,
  input: {
    uri: z.string().min(1).max(4096),
    offset: z.int().min(0).default(0).describe('First character, to go on where the last part ended.'),
  },
  readOnly: true,
  run: async ({ uri, offset }, call) => {
    const whole = await readAddress(call, uri);
    const { text, next } = sliceText(whole, { offset });
    const rest = next === null ? [] : [`${whole.length - next} more characters: read again with offset ${next}.`];
    return { text, notes: rest };
  },
});
