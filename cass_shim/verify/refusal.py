"""Why a translation has no more evidence than it has, in the words for a refusal.

In: what the verifier found. Out: a clause for the line that says that the bar was not met.
"""

from __future__ import annotations

from cass_shim.model.artifacts import Verified


def why_not_more(verified: Verified) -> str:
    """Why a second opinion was no E2, a captured launch no E3 or a proof no E4, for the reader of a refusal."""
    report = verified.report
    opinion, proof, launch = (report.get(name) for name in ("second opinion", "proof", "captured launch"))
    missing = report.get("unvectored")
    if isinstance(launch, dict):
        if launch["verdict"] == "agrees":
            return f" (the captured launch agrees, but {', '.join(map(str, missing or ()))} has no vectors)"  # type: ignore[call-overload]
        return f" (captured launch: {launch['reason']})"
    if isinstance(opinion, dict) and opinion["verdict"] != "agrees":
        return f" (second opinion {opinion['verdict']}: {opinion.get('reason', '')})"
    if not isinstance(proof, dict):
        return ""
    if proof["verdict"] == "proved":
        return f" (proved, but {', '.join(map(str, missing or ()))} has no vectors)"  # type: ignore[call-overload]
    return f" (proof {proof['verdict']}: {proof.get('reason', '')})"
