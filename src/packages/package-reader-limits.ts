/** How much time and memory the reading of packages may take. */
/** In milliseconds. */
export interface TimeBySize {
  base: number;
  perMebibyte: number;
}

export interface PackageReaderLimits {
  maxFactsMs: number;
  maxDrawingMs: number;
  maxVerificationMs: number;
  /** Verification hashes the whole package: time for an empty one, and for each MiB, on a slow disk. */
  verificationMs: TimeBySize;
  maxAnalysisMs: number;
  analysisMs: TimeBySize;
  maxConversionMs: number;
  /** Time for a conversion without content, and for each MiB of content, far above the needs of a slow machine. */
  conversionMs: TimeBySize;
  /** Only headers are read, but those of a second processor are behind the whole file of the first. */
  maxSymbolsMs: number;
  /** Short, because keystores have few iterations. */
  maxKeystoreMs: number;
  /** A process that has not started within this time counts as failed. */
  maxStartMs: number;
  maxHeapMebibytes: number;
  /** Heap, buffers and pictures, plus 600 MiB of address space that V8 reserves without using it. Linux only. */
  maxDataMebibytes: number;
  factsProcesses: number;
  /** How long a package waits for a busy process before another one is started. */
  maxWaitMs: number;
  /** How long a process is idle before it ends. */
  maxIdleMs: number;
}

export const defaultPackageReaderLimits: PackageReaderLimits = {
  maxFactsMs: 10_000,
  maxDrawingMs: 20_000,
  maxVerificationMs: 10 * 60_000,
  verificationMs: { base: 30_000, perMebibyte: 100 },
  maxAnalysisMs: 10 * 60_000,
  analysisMs: { base: 60_000, perMebibyte: 300 },
  maxConversionMs: 10 * 60_000,
  conversionMs: { base: 60_000, perMebibyte: 100 },
  maxSymbolsMs: 30_000,
  maxKeystoreMs: 10_000,
  maxStartMs: 30_000,
  maxHeapMebibytes: 192,
  maxDataMebibytes: 1536,
  factsProcesses: 2,
  maxWaitMs: 250,
  maxIdleMs: 10_000,
};
