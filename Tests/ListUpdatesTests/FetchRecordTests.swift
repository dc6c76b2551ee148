import Cryptography
import FilterLists
import Quantities
import Testing

@testable import ListUpdates

@Suite struct FetchRecordTests {
    private var whole: FetchRecord {
        var record = FetchRecord(url: "https://lists.example/a \"b\".txt")
        record.text = FetchRecord.Text(
            digest: SHA256.digest(of: [1, 2, 3].span), size: ByteCount(123), rules: 7,
            format: .adblock, time: 1_700_000_000)
        record.validators.entityTag = "W/\"x\\y\""
        record.validators.lastModified = "Tue, 01 Jul 2025 10:00:00 GMT"
        record.fault = FetchRecord.Fault(
            key: "empty", text: "the text is empty", isHeldBack: true, time: 5)
        return record
    }

    @Test func aRecordReadsBackAsItWasWritten() {
        #expect(FetchRecord(json: whole.json) == whole)
        let bare = FetchRecord(url: "file:///x")
        #expect(FetchRecord(json: bare.json) == bare)
    }

    /// A damaged record is none: the list is then fetched as if for the first time.
    @Test func aCutOrChangedRecordIsNoneAndNoCrash() {
        let json = whole.json
        // Without its newline it is whole still.
        for count in 0..<(json.count - 1) {
            #expect(FetchRecord(json: Array(json[..<count])) == nil)
        }
        for index in json.indices {
            var changed = json
            changed[index] ^= 0x10
            if let record = FetchRecord(json: changed) { #expect(!record.url.isEmpty) }
        }
    }
}
