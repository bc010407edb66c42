import { writeFileSync } from 'node:fs';

// Loaded before a command that is measured; its peak is known only to itself, and only at its end.
process.once('exit', () => {
  const { BENCH_MEMORY_FILE: file } = process.env;
  if (file) writeFileSync(file, String(process.resourceUsage().maxRSS));
});
