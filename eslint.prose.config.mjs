import markdown from '@eslint/markdown';
import { defineConfig } from 'eslint/config';
import prose from './scripts/lint/prose.mjs';

/** What a person reads: its English is checked as the code is. */
export default defineConfig(
  { files: ['examples/*.json'], plugins: { prose }, processor: 'prose/notes' },
  {
    files: ['*.md', 'docs/*.md', 'examples/*.json/*.md'],
    plugins: { markdown, prose },
    language: 'markdown/gfm',
    rules: { 'prose/plain': 'error' },
  },
);
