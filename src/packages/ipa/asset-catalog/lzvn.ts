/**
 * Apple's LZVN compression, based on the opcode table of the open-source `lzvn_decode_base.c`. Each instruction copies up to three
 * bytes that follow it (L) and then a match (M) from a distance (D) back:
 *
 *     LLMMMDDD DDDDDDDD            small distance      LLMMM110                      the distance before
 *     101LLMMM DDDDDDMM DDDDDDDD   medium distance     LLMMM111 DDDDDDDD DDDDDDDD    large distance
 *     1110LLLL / 11100000 LLLLLLLL literals alone      1111MMMM / 11110000 MMMMMMMM  a match alone
 *     00000110 and seven zeros     end                 00001110, 00010110            nothing
 */
import { createOutput, type DecompressionOutput } from './decompression-output.ts';

const endOpcode = 0x06;
const idleOpcodes = [0x0e, 0x16];

interface Instruction {
  headerBytes: number;
  literals: number;
  match: number;
  /** Null for the previous distance. */
  distance: number | null;
}

/** Returns the decompressed bytes. Throws `Error` if `bytes` is malformed or exceeds `maxBytes`. */
export function decompressLzvn(bytes: Buffer, maxBytes: number): Buffer {
  const output = createOutput(maxBytes);
  decompressLzvnInto(bytes, output);
  return output.take();
}

export function decompressLzvnInto(bytes: Buffer, output: DecompressionOutput): void {
  let position = 0;
  let distance = 0;
  for (;;) {
    const opcode = bytes[position];
    if (opcode === undefined) throw new Error('LZVN data ends too early');
    if (opcode === endOpcode) return;
    if (idleOpcodes.includes(opcode)) {
      position++;
      continue;
    }
    const instruction = readInstruction(bytes, position, opcode);
    position += instruction.headerBytes;
    output.copy(bytes, position, instruction.literals);
    position += instruction.literals;
    distance = instruction.distance ?? distance;
    if (instruction.match > 0) output.repeat(distance, instruction.match);
  }
}

function readInstruction(bytes: Buffer, position: number, opcode: number): Instruction {
  const next = bytes[position + 1] ?? 0;
  if (opcode >= 0xe0) {
    const isLong = (opcode & 0x0f) === 0;
    const length = isLong ? next + 16 : opcode & 0x0f;
    const isMatch = opcode >= 0xf0;
    return {
      headerBytes: isLong ? 2 : 1,
      literals: isMatch ? 0 : length,
      match: isMatch ? length : 0,
      distance: null,
    };
  }
  const high = opcode >> 4;
  if (high === 0x7 || high === 0xd) throw new Error('LZVN data has an unknown opcode');
  const word = next | ((bytes[position + 2] ?? 0) << 8);
  if (high === 0xa || high === 0xb) {
    const match = ((opcode & 0x07) << 2) + (word & 0x03) + 3;
    return { headerBytes: 3, literals: (opcode >> 3) & 0x03, match, distance: word >> 2 };
  }
  const lengths = { literals: opcode >> 6, match: ((opcode >> 3) & 0x07) + 3 };
  const low = opcode & 0x07;
  if (low === 0x07) return { ...lengths, headerBytes: 3, distance: word };
  if (low !== 0x06) return { ...lengths, headerBytes: 2, distance: (low << 8) | next };
  if (opcode < 0x40) throw new Error('LZVN data has an unknown opcode');
  return { ...lengths, headerBytes: 1, distance: null };
}
