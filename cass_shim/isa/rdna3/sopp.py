"""SOPP: program control. Columns: opcode, name."""

from __future__ import annotations

from cass_shim.isa.rdna3.row import table

ROWS = table(
    "SOPP",
    """
   0  s_nop                      -
   1  s_setkill                  -
   2  s_sethalt                  -
   3  s_sleep                    -
   4  s_set_inst_prefetch_distance - =s_nop
   5  s_clause                   - =s_nop
   7  s_delay_alu                - =s_nop
   8  s_waitcnt_depctr           - =s_nop
   9  s_waitcnt                  - =s_nop
  10  s_wait_idle                - =s_nop
  11  s_wait_event               - =s_nop
  16  s_trap                     -
  17  s_round_mode               -
  18  s_denorm_mode              -
  31  s_code_end                 - =illegal
  32  s_branch                   -
  33  s_cbranch_scc0             -
  34  s_cbranch_scc1             -
  35  s_cbranch_vccz             -
  36  s_cbranch_vccnz            -
  37  s_cbranch_execz            -
  38  s_cbranch_execnz           -
  39  s_cbranch_cdbgsys          - =s_nop
  40  s_cbranch_cdbguser         - =s_nop
  41  s_cbranch_cdbgsys_or_user  - =s_nop
  42  s_cbranch_cdbgsys_and_user - =s_nop
  48  s_endpgm                   -
  49  s_endpgm_saved             - =s_endpgm
  50  s_endpgm_ordered_ps_done   - !
  52  s_wakeup                   - =s_nop
  53  s_setprio                  - =s_nop
  54  s_sendmsg                  - =s_nop
  55  s_sendmsghalt              - =s_sethalt
  56  s_incperflevel             - =s_nop
  57  s_decperflevel             - =s_nop
  58  s_ttracedata               - =s_nop
  59  s_ttracedata_imm           - =s_nop
  60  s_icache_inv               - =s_nop
  61  s_barrier                  -
""",
)
