import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { sanitize } from '../../domain/text/sanitize.ts';

/** The result of a tool: its answer, and notes such as how to get the rest of it. */
export interface Answer {
  text: string;
  notes?: readonly string[];
}

const part = (text: string) => ({ type: 'text' as const, text });

export const toResult = ({ text, notes = [] }: Answer): CallToolResult => ({ content: [text, ...notes].map(part) });

/** A refusal or failure, as a sentence that the agent reads. */
export const toFailure = (message: string): CallToolResult => ({ content: [part(sanitize(message))], isError: true });
