"""What stands in a column that names people, in two languages."""

from __future__ import annotations

from collections.abc import Mapping

from sekisho.data.identity.forms import IdentityForm
from sekisho.report.kit.words import Text

FORMS: Mapping[str, Text] = {
    IdentityForm.EMAIL: Text(IdentityForm.EMAIL.value, "メールアドレス"),
    IdentityForm.LINK: Text(IdentityForm.LINK.value, "リンク（URL）"),
    IdentityForm.NET: Text(IdentityForm.NET.value, "IPアドレス"),
    IdentityForm.DEVICE: Text(IdentityForm.DEVICE.value, "機器の番号"),
    IdentityForm.PHONE: Text(IdentityForm.PHONE.value, "電話番号"),
    IdentityForm.ADDRESS: Text(IdentityForm.ADDRESS.value, "番地までの住所"),
    IdentityForm.ACCOUNT: Text(IdentityForm.ACCOUNT.value, "口座やカードの番号"),
    IdentityForm.MY_NUMBER: Text(IdentityForm.MY_NUMBER.value, "マイナンバーの検査数字をもつ12桁の番号"),
    IdentityForm.OFFICIAL: Text(IdentityForm.OFFICIAL.value, "公的な個人や法人の番号"),
    IdentityForm.COORDINATES: Text(IdentityForm.COORDINATES.value, "正確な位置の座標"),
    IdentityForm.NAMES: Text(IdentityForm.NAMES.value, "人の名前"),
    IdentityForm.PARTS: Text(IdentityForm.PARTS.value, "人を名指しする別の列の一部"),
    IdentityForm.WORDS: Text(IdentityForm.WORDS.value, "名前かもしれない語"),
    IdentityForm.SENTENCES: Text(IdentityForm.SENTENCES.value, "人の名前を含む文"),
    IdentityForm.PROSE: Text(IdentityForm.PROSE.value, "自由記述"),
    IdentityForm.CODES: Text(IdentityForm.CODES.value, "それぞれ少数の行にだけ現れるコード"),
}
